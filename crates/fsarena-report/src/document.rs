//! The output of a format.

/// A report that is ready to be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Document {
    /// Text that ends in a newline.
    Text(String),
    /// Binary data, not for a terminal.
    Binary(Vec<u8>),
}

impl Document {
    /// Content of the report's file.
    pub fn bytes(&self) -> &[u8] {
        match self {
            Self::Text(text) => text.as_bytes(),
            Self::Binary(bytes) => bytes,
        }
    }
}

/// A format has nothing to show of a comparison.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Nothing {
    /// The reason.
    pub why: String,
    /// What the user can do.
    pub hint: String,
}
