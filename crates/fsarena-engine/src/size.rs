//! Sizes in a workload's parameters: a number of bytes, or a text such as `4K`.

use fsarena_model::Bytes;
use serde::{Deserialize, Deserializer};

/// For `deserialize_with`: bytes.
pub fn size<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    Bytes::deserialize(deserializer).map(|size| size.0)
}

/// For `deserialize_with`: bytes of an optional size.
pub fn some_size<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    size(deserializer).map(Some)
}
