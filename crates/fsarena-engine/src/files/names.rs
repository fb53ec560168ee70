//! File names, as C strings that no operation has to allocate.

use std::ffi::{CStr, CString};

/// `a00000000`, `a00000001` …: a letter and eight digits.
pub struct Name {
    bytes: [u8; 10],
}

impl Name {
    /// The name of number 0 with this letter.
    pub fn new(letter: u8) -> Self {
        let mut bytes = *b"-00000000\0";
        bytes[0] = letter;
        Self { bytes }
    }

    /// The name of `number`, below 100 million.
    #[inline]
    pub fn of(&mut self, mut number: u32) -> &CStr {
        for digit in self.bytes[1..9].iter_mut().rev() {
            *digit = b'0' + (number % 10) as u8;
            number /= 10;
        }
        CStr::from_bytes_with_nul(&self.bytes).expect("the only zero byte is the last")
    }

    /// The name of `number`, to keep.
    pub fn owned(&mut self, number: u32) -> CString {
        self.of(number).to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_numbered() {
        assert_eq!(Name::new(b'f').of(12_345), c"f00012345");
        assert_eq!(Name::new(b'f').owned(0).as_c_str(), c"f00000000");
    }
}
