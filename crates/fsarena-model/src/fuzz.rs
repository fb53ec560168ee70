//! Fuzz tests of argument parsers: contenders, sizes, times, rates, shares, weights.

use std::str::FromStr;

use crate::{Bytes, Contender, Matrix, Mix, Nanos, Often, Rate, Share};

#[test]
fn contenders() {
    let good = [
        "ext4",
        "noatime=ext4:noatime,data=journal",
        "dir:/mnt/share",
        "a=dir:/x=y",
        "mine.toml",
        "xfs:-m,reflink=0",
        "{ext4,xfs}:{,noatime},commit={5,30} -m {0,1} -O {,^}has_journal",
    ];
    fsarena_testing::fuzz::texts(&good, |argument| {
        let _ = Contender::toml_file(argument);
        let _ = Matrix::parse(argument);
        let Ok(contender) = argument.parse::<Contender>() else { return };
        let _ = contender.spelling();
        let _ = contender.relabelled(argument);
    });
}

#[test]
fn quantities() {
    fn both<T: FromStr + std::fmt::Display>(text: &str) {
        if let Ok(parsed) = text.parse::<T>() {
            let _ = parsed.to_string();
        }
    }
    let good = ["512M", "16T", "4K", "5%", "0.5 %", "90s", "1h30m", "10m", "500/s", "50%", "a=3,b=1", "once", "250ms"];
    fsarena_testing::fuzz::texts(&good, |text| {
        both::<Bytes>(text);
        both::<Nanos>(text);
        both::<Share>(text);
        both::<Rate>(text);
        both::<Often>(text);
        let _ = text.parse::<Mix>();
    });
}
