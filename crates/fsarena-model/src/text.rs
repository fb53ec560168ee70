//! Values that are texts in JSON, and the names of values.

use std::fmt::{self, Display};
use std::str::FromStr;

use serde::de::{DeserializeOwned, Error, IntoDeserializer, value};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::guest::{CacheMode, ImageFormat};
use crate::plan::Harness;
use crate::probe::LatencyFigure;
use crate::{
    Accelerator, BaselineKind, CacheState, Coherence, DebianRelease, Durability, Medium, Name, Often, Rate, Scale,
    ValidityClass, Verdict, WorkKind,
};

/// Writes a value as the text that it prints.
pub fn serialize<T: Display, S: Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(value)
}

/// Reads a value that [`serialize`] has written.
pub fn deserialize<'de, T: FromStr<Err: Display>, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
}

/// The value that has this name in JSON; the error lists all names.
pub fn named<T: DeserializeOwned>(name: &str) -> Result<T, value::Error> {
    T::deserialize(name.into_deserializer())
}

/// Types that are written and read as texts.
macro_rules! texts {
    ($($text:ty),*) => {$(
        impl Serialize for $text {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serialize(self, serializer)
            }
        }

        impl<'de> Deserialize<'de> for $text {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                deserialize(deserializer)
            }
        }
    )*};
}

/// Types whose values are printed by their names in JSON.
macro_rules! names {
    ($($named:ty),*) => {$(
        impl Display for $named {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                Serialize::serialize(self, f)
            }
        }
    )*};
}

texts!(DebianRelease, Name, Rate);
names!(Accelerator, BaselineKind, CacheMode, CacheState, Coherence, Durability, ImageFormat, Medium, Often, Scale);
names!(Harness, LatencyFigure, ValidityClass, Verdict, WorkKind);
