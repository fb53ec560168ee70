//! Sizes in a workload's parameters: a number of bytes, or a text such as `4K`.

use std::fmt;

use fsarena_model::Bytes;
use serde::{Deserialize, Deserializer, de};

struct Size(u64);

impl<'de> Deserialize<'de> for Size {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Visitor)
    }
}

struct Visitor;

impl de::Visitor<'_> for Visitor {
    type Value = Size;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a size such as 4096 or \"4K\"")
    }

    fn visit_u64<E: de::Error>(self, bytes: u64) -> Result<Size, E> {
        Ok(Size(bytes))
    }

    fn visit_i64<E: de::Error>(self, bytes: i64) -> Result<Size, E> {
        u64::try_from(bytes).map(Size).map_err(|_| E::custom("a size is not negative"))
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Size, E> {
        text.parse::<Bytes>().map(|bytes| Size(bytes.0)).map_err(E::custom)
    }
}

/// For `deserialize_with`: bytes.
pub fn size<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    Size::deserialize(deserializer).map(|size| size.0)
}

/// For `deserialize_with`: bytes, where they may be absent.
pub fn some_size<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    size(deserializer).map(Some)
}
