//! The articles of the catalogue.

use fsarena_model::{ErrorCategory, Explained};

use crate::article::Article;

/// An article cannot be had.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what the fields are")]
pub enum ArticleError {
    /// No article has this name.
    #[error("there is no article `{0}`")]
    Unknown(String),
    /// An article of the catalogue is malformed, which a test rules out.
    #[error("`{name}`: {source}")]
    Malformed { name: String, source: toml::de::Error },
    /// A run was stored with an article that this version cannot read.
    #[error("the article of run {run} cannot be read: {source}")]
    Stored { run: i64, source: serde_json::Error },
}

impl Explained for ArticleError {
    fn category(&self) -> ErrorCategory {
        match self {
            Self::Unknown(_) | Self::Malformed { .. } => ErrorCategory::Use,
            Self::Stored { .. } => ErrorCategory::Machine,
        }
    }

    fn hint(&self) -> Option<String> {
        let is_unknown = matches!(self, Self::Unknown(_));
        is_unknown.then(|| "`fsarena list articles` shows which there are".to_owned())
    }
}

/// The article `name` of the catalogue.
///
/// # Errors
/// [`ArticleError::Unknown`] if there is none.
pub fn article(name: &str) -> Result<Article, ArticleError> {
    let found = articles()?.into_iter().find(|article| article.name == name);
    found.ok_or_else(|| ArticleError::Unknown(name.to_owned()))
}

/// All articles of the catalogue, by name.
///
/// # Errors
/// If one is malformed, which a test rules out.
pub fn articles() -> Result<Vec<Article>, ArticleError> {
    let parsed = |(name, text): &(&str, &str)| {
        toml::from_str(text).map_err(|source| ArticleError::Malformed { name: (*name).to_owned(), source })
    };
    fsarena_catalog::published().iter().map(parsed).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn articles_are_named_as_their_files() {
        let names: Vec<String> = articles().expect("well-formed").into_iter().map(|article| article.name).collect();
        assert_eq!(names, fsarena_catalog::published().iter().map(|(name, _)| *name).collect::<Vec<_>>());
        assert!(matches!(article("no-such"), Err(ArticleError::Unknown(name)) if name == "no-such"));
    }

    #[test]
    fn hostile_articles_are_refused() {
        let texts: Vec<&str> = fsarena_catalog::published().iter().map(|(_, text)| *text).collect();
        fsarena_testing::fuzz::texts(&texts, |text| drop(toml::from_str::<Article>(text)));
    }
}
