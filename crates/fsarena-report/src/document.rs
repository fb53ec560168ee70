//! What a format makes of a comparison.

/// A report, ready to be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Document {
    /// Text that ends in a newline.
    Text(String),
    /// Nothing for a terminal.
    Binary(Vec<u8>),
}

impl Document {
    /// As a file has it.
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
    /// Why, in words.
    pub why: String,
    /// The way out.
    pub hint: String,
}
