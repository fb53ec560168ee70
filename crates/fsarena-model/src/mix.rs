//! The reader's own mix: how much each kind of work matters to the reader.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::{joined, repeated};

/// Weights, in the order in which they were typed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Mix(pub Vec<Weight>);

/// The weight of a group or workload.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Weight {
    /// The name of a group of the suite, or of a workload.
    pub name: String,
    /// Its share of everything, above 0; all shares add up to 1.
    pub share: f64,
}

impl Mix {
    /// A mix of weights that need not add up to 1.
    ///
    /// # Errors
    /// If a name has two weights, a weight is not above 0, or there is none.
    pub fn of(mut weights: Vec<Weight>) -> Result<Self, String> {
        let is_good = |weight: &&Weight| weight.share > 0.0 && weight.share.is_finite();
        if let Some(weight) = weights.iter().find(|weight| !is_good(weight)) {
            return Err(format!("the weight of `{}` has to be above 0", weight.name));
        }
        if let Some(name) = repeated(weights.iter().map(|weight| &weight.name)) {
            return Err(format!("`{name}` has two weights"));
        }
        let sum: f64 = weights.iter().map(|weight| weight.share).sum();
        weights.iter_mut().for_each(|weight| weight.share /= sum);
        match sum > 0.0 && sum.is_finite() {
            true => Ok(Self(weights)),
            false if weights.is_empty() => Err("nothing has a weight".to_owned()),
            false => Err("the weights are too large".to_owned()),
        }
    }
}

/// Parses `reads=0.7,ingest=0.2,results=0.1`; the numbers need not add up to 1.
impl FromStr for Mix {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::of(text.split(',').map(weight).collect::<Result<_, _>>()?)
    }
}

fn weight(text: &str) -> Result<Weight, String> {
    let (name, share) = text.split_once('=').ok_or("a name, `=` and a weight, such as reads=0.7,ingest=0.3")?;
    let share: f64 = share.trim().parse().map_err(|_| format!("`{share}` is not a number"))?;
    Ok(Weight { name: name.trim().to_owned(), share })
}

/// Prints it as it is typed, normalised.
impl fmt::Display for Mix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let typed = |weight: &Weight| format!("{}={}", weight.name, (weight.share * 1e6).round() / 1e6);
        f.pad(&joined(self.0.iter().map(typed), ","))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_normalised_and_keep_their_order() {
        let mix: Mix = "reads=7,ingest=2, results=1".parse().expect("well spelled");
        assert_eq!(mix.to_string(), "reads=0.7,ingest=0.2,results=0.1");
        assert_eq!(mix.to_string().parse::<Mix>().expect("well spelled").to_string(), mix.to_string());
    }

    #[test]
    fn a_malformed_mix_is_refused() {
        for wrong in
            ["", "reads", "reads=", "reads=x", "reads=0", "reads=-1", "reads=nan", "reads=inf", "a=1,a=2", "a=1,"]
        {
            assert!(wrong.parse::<Mix>().is_err(), "{wrong}");
        }
    }
}
