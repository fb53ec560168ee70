//! Parses sizes and times as fio writes them.

use fsarena_model::Nanos;

/// Parses a size such as `4k`, `1MiB`, `0x1000`. All suffixes are powers of 1024. `None` for anything else, such as
/// `50%`.
pub fn size(text: &str) -> Option<u64> {
    let text = text.trim().to_ascii_lowercase();
    if let Some(digits) = text.strip_prefix("0x") {
        return u64::from_str_radix(digits, 16).ok();
    }
    let (number, unit) = split(&text);
    let unit = unit.strip_suffix("ib").or_else(|| unit.strip_suffix('b')).or_else(|| unit.strip_suffix('i'));
    let unit = unit.unwrap_or(split(&text).1);
    let power = ["", "k", "m", "g", "t", "p"].iter().position(|letter| *letter == unit)?;
    number.parse::<u64>().ok()?.checked_mul(1 << (10 * power))
}

/// Parses two sizes such as `4k-64k`, in ascending order.
pub fn range(text: &str) -> Option<(u64, u64)> {
    let (low, high) = text.split_once(['-', ':'])?;
    let (low, high) = (size(low)?, size(high)?);
    (low <= high).then_some((low, high))
}

/// Parses a time such as `30`, `30s`, `500ms`, `2m`. A number without a unit is seconds.
pub fn time(text: &str) -> Option<Nanos> {
    let text = text.trim().to_ascii_lowercase();
    let (number, unit) = split(&text);
    let nanos = match unit {
        "us" | "usec" => 1_000,
        "ms" | "msec" => 1_000_000,
        "" | "s" => 1_000_000_000,
        "m" => 60_000_000_000,
        "h" => 3_600_000_000_000,
        "d" => 86_400_000_000_000,
        _ => return None,
    };
    number.parse::<u64>().ok()?.checked_mul(nanos).map(Nanos)
}

fn split(text: &str) -> (&str, &str) {
    let end = text.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(text.len());
    (&text[..end], text[end..].trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_as_fio_reads_them() {
        let table =
            [("4k", 4096), ("4K", 4096), ("4kb", 4096), ("1Ki", 1024), ("4KiB", 4096), ("512", 512), ("1m", 1 << 20)];
        for (text, bytes) in table.into_iter().chain([("2g", 2 << 30), ("0x1000", 4096), ("100b", 100)]) {
            assert_eq!(size(text), Some(bytes), "{text}");
        }
        for text in ["", "50%", "k", "4x", "-1", "1.5g", "(4*1024)", "4k,8k", "99999999999g"] {
            assert_eq!(size(text), None, "{text}");
        }
        assert_eq!(range("4k-64k"), Some((4096, 65536)));
        assert_eq!(range("64k-4k"), None);
    }

    #[test]
    fn times_are_seconds_unless_they_say_otherwise() {
        for (text, time_ms) in [("30", 30_000), ("30s", 30_000), ("500ms", 500), ("2m", 120_000), ("1h", 3_600_000)] {
            assert_eq!(time(text), Some(Nanos::millis(time_ms)), "{text}");
        }
        assert_eq!(time("soon"), None);
    }
}
