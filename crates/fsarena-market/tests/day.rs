//! Tests of the properties of a day.

use std::collections::{BTreeMap, BTreeSet};
use std::io;

use fsarena_market::{COLUMNS, Date, INSTRUMENTS, MarketError, Part, Summary, TradingDay, Window, instruments};

fn date(text: &str) -> Date {
    text.parse().expect("a date")
}

fn day(seed: u64, rows: u64) -> TradingDay {
    TradingDay::new(date("2016-04-11"), seed, rows).expect("a day")
}

/// All lines except the first, as fields by name.
fn rows(day: &TradingDay) -> Vec<BTreeMap<&'static str, String>> {
    let mut text = Vec::new();
    day.write(&mut text).expect("written");
    let text = String::from_utf8(text).expect("text");
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some(COLUMNS.join(",").as_str()));
    let fields = |line: &str| {
        let fields: Vec<String> = line.split(',').map(str::to_owned).collect();
        assert_eq!(fields.len(), COLUMNS.len(), "{line}");
        COLUMNS.into_iter().zip(fields).collect()
    };
    lines.map(fields).collect()
}

fn number(row: &BTreeMap<&str, String>, name: &str) -> f64 {
    row[name].parse().unwrap_or_else(|_| panic!("{name}: `{}`", row[name]))
}

#[test]
fn the_same_seed_gives_the_same_bytes() {
    let of = |day: TradingDay| Summary::write(&day, &mut io::sink()).expect("written");
    let golden = of(day(1, 20_000));
    assert_eq!((golden.bytes, golden.sha256.as_str()), (GOLDEN_BYTES, GOLDEN));
    assert_eq!(of(day(1, 20_000)), golden);
    assert_ne!(of(day(2, 20_000)).sha256, golden.sha256);
    let tomorrow = TradingDay::new(date("2016-04-12"), 1, 20_000).expect("a day");
    assert_ne!(of(tomorrow).sha256, golden.sha256);
}

const GOLDEN_BYTES: u64 = 4_568_747;
const GOLDEN: &str = "445defe9ac7362eec4a1a680fe4f668084c0e1ace80644f0799a3d2ec50632f0";

#[test]
fn a_day_has_exactly_the_rows_that_are_wanted_of_all_contracts() {
    for wanted in [162, 163, 20_000, 200_000] {
        let counts = day(3, wanted).write(&mut io::sink()).expect("written");
        assert_eq!(counts.rows, wanted);
        let of_each: Vec<u64> = (0..INSTRUMENTS).map(|instrument| counts.of(instrument)).collect();
        assert_eq!(of_each.iter().sum::<u64>(), wanted);
        assert!(of_each.iter().all(|rows| *rows > 0), "each contract has one");
    }
}

#[test]
fn impossible_days_are_refused() {
    let of = |day: &str, rows| TradingDay::new(date(day), 1, rows).expect_err("refused");
    assert_eq!(of("2016-04-10", 1000), MarketError::Weekend(date("2016-04-10")));
    assert!(matches!(of("2016-04-11", 161), MarketError::Rows { least: 162, .. }));
    let MarketError::Rows { most, .. } = of("2016-04-11", u64::MAX) else { panic!("too many") };
    assert_eq!(most, 7_902_000, "each contract in each half second");
    assert!(TradingDay::new(date("2016-04-11"), 1, most).is_ok());
    assert!(TradingDay::new(date("2016-04-11"), 1, most + 1).is_err());
}

#[test]
fn rows_come_in_the_order_of_time() {
    let moment = |row: &BTreeMap<&str, String>| {
        (row["ActionDay"].clone(), row["UpdateTime"].clone(), row["UpdateMillisec"].parse::<u32>().expect("a number"))
    };
    let rows = rows(&day(4, 30_000));
    assert!(rows.windows(2).all(|pair| moment(&pair[0]) <= moment(&pair[1])));
    let mut of_contract = BTreeSet::new();
    assert!(rows.iter().all(|row| of_contract.insert((row["InstrumentID"].clone(), moment(row)))), "no two at once");
    assert!(rows.iter().all(|row| ["0", "500"].contains(&row["UpdateMillisec"].as_str())));
}

#[test]
fn the_night_belongs_to_the_next_trading_day() {
    let rows = rows(&day(5, 50_000));
    let mut last: BTreeMap<String, &str> = BTreeMap::new();
    for row in &rows {
        let (time, product) = (row["UpdateTime"].as_str(), row["InstrumentID"].trim_end_matches(char::is_numeric));
        let action_day = match () {
            () if ("09:00:00".."15:00:00").contains(&time) => "20160411",
            () if time >= "21:00:00" => "20160408",
            () if time < "02:30:00" => "20160409",
            () => panic!("nothing is traded at {time}"),
        };
        assert_eq!((row["TradingDay"].as_str(), row["ActionDay"].as_str()), ("20160411", action_day), "{time}");
        assert!(!("10:15:00".."10:30:00").contains(&time) && !("11:30:00".."13:30:00").contains(&time), "{time}");
        if action_day != "20160411" {
            last.insert(product.to_owned(), time);
        }
    }
    for (product, from, until) in
        [("rb", "22:5", "23:00:00"), ("ru", "22:5", "23:00:00"), ("cu", "00:5", "01:00:00"), ("ag", "02:2", "02:30:00")]
    {
        assert!((from..until).contains(&last[product]), "{product} until {}", last[product]);
    }
    assert!(!last.contains_key("wr") && !last.contains_key("fu"), "these have no night");
}

#[test]
fn prices_stay_within_limits_and_what_adds_up_never_falls() {
    let mut before: BTreeMap<String, [f64; 4]> = BTreeMap::new();
    for row in rows(&day(6, 60_000)) {
        let of = |name| number(&row, name);
        let (last, upper, lower) = (of("LastPrice"), of("UpperLimitPrice"), of("LowerLimitPrice"));
        let settled = of("PreSettlementPrice");
        assert!(lower <= last && last <= upper && settled * 0.95 <= lower && upper <= settled * 1.05, "{row:?}");
        assert!(of("LowestPrice") <= last && last <= of("HighestPrice"), "{row:?}");
        assert!((of("LowestPrice")..=of("HighestPrice")).contains(&of("OpenPrice")), "{row:?}");
        assert!((of("Turnover") / of("Volume") - of("AveragePrice")).abs() <= 0.01, "{row:?}");
        for name in ["ClosePrice", "SettlementPrice", "PreDelta", "CurrDelta"] {
            assert_eq!(row[name], "", "{name} is not known during a day");
        }
        let now = [of("Volume"), of("Turnover"), of("HighestPrice"), -of("LowestPrice")];
        let known = before.entry(row["InstrumentID"].clone()).or_insert(now);
        assert!(now.iter().zip(*known).all(|(now, before)| *now >= before), "{row:?}");
        *known = now;
        depth(&row, lower, upper);
    }
}

/// Checks that bids fall and asks rise, and that there is neither price nor amount beyond the limits.
fn depth(row: &BTreeMap<&str, String>, lower: f64, upper: f64) {
    let (mut bid, mut ask) = (f64::INFINITY, number(row, "LastPrice"));
    for place in 1..=5 {
        for (side, is_bid) in [("Bid", true), ("Ask", false)] {
            let (price, amount) =
                (&row[format!("{side}Price{place}").as_str()], number(row, &format!("{side}Volume{place}")));
            let Ok(price) = price.parse::<f64>() else {
                assert_eq!((price.as_str(), amount), ("", 0.0));
                continue;
            };
            assert!((1.0..=200.0).contains(&amount) && (lower..=upper).contains(&price), "{row:?}");
            assert!(if is_bid { price < bid } else { price > ask }, "{row:?}");
            *(if is_bid { &mut bid } else { &mut ask }) = price;
        }
    }
}

#[test]
fn counts_are_those_of_the_rows() {
    let day = day(7, 40_000);
    let counts = day.write(&mut io::sink()).expect("written");
    let (rows, contracts) = (rows(&day), instruments(day.date()));
    let sum: f64 = rows.iter().map(|row| number(row, "Volume")).sum();
    assert_eq!(counts.volume as f64, sum);
    let mut found = 0;
    for (instrument, part, from, minutes) in [
        (0, Part::Evening, 21 * 60, 180),
        (72, Part::Midnight, 7, 45),
        (90, Part::Day, 10 * 60, 60),
        (0, Part::Day, 0, 1440),
    ] {
        let window = Window { instrument, part, from, minutes };
        let [begin, end] = window.times();
        let action_day = window.action_day(day.date()).digits();
        let is_within = |row: &&BTreeMap<&str, String>| {
            row["InstrumentID"] == contracts[instrument].id
                && row["ActionDay"] == action_day
                && (begin.as_str()..end.as_str()).contains(&row["UpdateTime"].as_str())
        };
        let expected = rows.iter().filter(is_within).count() as u64;
        assert_eq!(counts.within(&window), expected, "{window:?}");
        let volume: f64 = rows.iter().filter(is_within).map(|row| number(row, "Volume")).sum();
        assert_eq!(counts.volume_within(&window) as f64, volume, "{window:?}");
        found += expected;
    }
    assert!(found > 0, "or this shows nothing");
}
