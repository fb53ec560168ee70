//! Writes numbers as text, without allocation.

/// Appends a number. Its digits are made from the end, in 20 bytes on the stack.
#[inline]
pub fn number(line: &mut Vec<u8>, mut value: u64) {
    let mut digits = [0_u8; 20];
    let mut at = digits.len();
    loop {
        at -= 1;
        digits[at] = b'0' + (value % 10) as u8;
        value /= 10;
        if value == 0 {
            break;
        }
    }
    line.extend_from_slice(&digits[at..]);
}

/// Appends the two digits of a number below 100.
#[inline]
pub fn two(line: &mut Vec<u8>, value: u32) {
    line.extend_from_slice(&[b'0' + (value / 10) as u8, b'0' + (value % 10) as u8]);
}

/// Appends hundredths as a number with two decimals.
#[inline]
pub fn hundredths(line: &mut Vec<u8>, value: u64) {
    number(line, value / 100);
    line.push(b'.');
    two(line, (value % 100) as u32);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_as_they_are_written() {
        let text = |write: &dyn Fn(&mut Vec<u8>)| {
            let mut line = Vec::new();
            write(&mut line);
            String::from_utf8(line).expect("digits")
        };
        for value in [0, 9, 10, 36_540, u64::MAX] {
            assert_eq!(text(&|line| number(line, value)), value.to_string());
        }
        assert_eq!(text(&|line| two(line, 7)), "07");
        assert_eq!(text(&|line| hundredths(line, 25_505)), "255.05");
    }
}
