//! The traded products and their contracts, as at SHFE in 2016.

use crate::Date;
use crate::session::Night;

/// Number of contracts on each day.
pub const INSTRUMENTS: usize = 162;

/// A traded product, which has several contracts.
#[derive(Debug)]
pub(crate) struct Product {
    pub name: &'static str,
    pub night: Night,
    /// Minimum price step, in hundredths of a yuan.
    pub tick: u64,
    /// Units in a contract.
    pub multiplier: u64,
    /// Approximate price, in ticks.
    pub price: u64,
    /// Activity relative to the other products.
    pub weight: u64,
    months: Months,
}

/// The delivery months of a product.
#[derive(Debug)]
enum Months {
    /// The next twelve.
    Twelve,
    /// The next twelve without February and December.
    Ten,
    /// The next three, and the even ones after them: eight in total.
    Eight,
}

#[rustfmt::skip]
const PRODUCTS: [Product; 14] = [
    Product { name: "cu", night: Night::Middle, tick: 1000, multiplier: 5,    price: 3_650, weight: 90,  months: Months::Twelve },
    Product { name: "al", night: Night::Middle, tick: 500,  multiplier: 5,    price: 2_320, weight: 50,  months: Months::Twelve },
    Product { name: "zn", night: Night::Middle, tick: 500,  multiplier: 5,    price: 2_840, weight: 70,  months: Months::Twelve },
    Product { name: "pb", night: Night::Middle, tick: 500,  multiplier: 5,    price: 2_600, weight: 30,  months: Months::Twelve },
    Product { name: "ni", night: Night::Middle, tick: 1000, multiplier: 1,    price: 6_750, weight: 100, months: Months::Twelve },
    Product { name: "sn", night: Night::Middle, tick: 1000, multiplier: 1,    price: 10_700, weight: 15, months: Months::Twelve },
    Product { name: "au", night: Night::Long,   tick: 5,    multiplier: 1000, price: 5_160, weight: 60,  months: Months::Eight },
    Product { name: "ag", night: Night::Long,   tick: 100,  multiplier: 15,   price: 3_400, weight: 90,  months: Months::Twelve },
    Product { name: "rb", night: Night::Short,  tick: 100,  multiplier: 10,   price: 2_250, weight: 100, months: Months::Twelve },
    Product { name: "hc", night: Night::Short,  tick: 100,  multiplier: 10,   price: 2_390, weight: 60,  months: Months::Twelve },
    Product { name: "wr", night: Night::None,   tick: 100,  multiplier: 10,   price: 2_200, weight: 1,   months: Months::Twelve },
    Product { name: "bu", night: Night::Short,  tick: 200,  multiplier: 10,   price: 980,   weight: 70,  months: Months::Twelve },
    Product { name: "ru", night: Night::Short,  tick: 500,  multiplier: 10,   price: 2_330, weight: 90,  months: Months::Ten },
    Product { name: "fu", night: Night::None,   tick: 100,  multiplier: 50,   price: 2_080, weight: 1,   months: Months::Twelve },
];

/// Activity by the distance of the delivery month: 10,000 / (1 + k)^1.3 for the k-th month.
const BY_MONTH: [u64; 12] = [10_000, 4061, 2397, 1649, 1234, 974, 797, 670, 575, 501, 443, 395];

/// A contract.
#[derive(Debug, Clone)]
pub struct Instrument {
    /// Its name: product, year and month of delivery, such as `cu1606`.
    pub id: String,
    pub(crate) product: &'static Product,
    /// Activity relative to the other contracts.
    pub(crate) weight: u64,
}

/// The contracts of the day `date`, in the exchange's order. Up to the 15th, the nearest contract is that of the same
/// month.
pub fn instruments(date: Date) -> Vec<Instrument> {
    let (year, month, day) = date.parts();
    // Months since the year 0.
    let nearest = year * 12 + month - 1 + u32::from(day > 15);
    PRODUCTS.iter().flat_map(|product| of_product(product, nearest)).collect()
}

fn of_product(product: &'static Product, nearest: u32) -> Vec<Instrument> {
    let of_year = |month: u32| month % 12 + 1;
    let all = nearest..;
    let months: Vec<u32> = match product.months {
        Months::Twelve => all.take(12).collect(),
        Months::Ten => all.take(12).filter(|month| !matches!(of_year(*month), 2 | 12)).collect(),
        Months::Eight => all.filter(|month| *month < nearest + 3 || of_year(*month) % 2 == 0).take(8).collect(),
    };
    let named = |month: u32| format!("{}{:02}{:02}", product.name, month / 12 % 100, of_year(month));
    let instrument =
        |(place, month)| Instrument { id: named(month), product, weight: product.weight * BY_MONTH[place] };
    months.into_iter().enumerate().map(instrument).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn there_are_as_many_contracts_on_each_day() {
        let mut date: Date = "2015-12-28".parse().expect("a date");
        for _ in 0..400 {
            let ids: BTreeSet<String> = instruments(date).into_iter().map(|instrument| instrument.id).collect();
            assert_eq!(ids.len(), INSTRUMENTS, "{date}");
            date = date.next();
        }
    }

    #[test]
    fn contracts_are_named_after_their_month() {
        let of = |date: &str, product: &str| {
            let all = instruments(date.parse().expect("a date"));
            let own = all.into_iter().map(|instrument| instrument.id).filter(|id| id.starts_with(product));
            own.collect::<Vec<_>>().join(" ")
        };
        assert_eq!(of("2016-04-11", "ru"), "ru1604 ru1605 ru1606 ru1607 ru1608 ru1609 ru1610 ru1611 ru1701 ru1703");
        assert_eq!(of("2016-04-18", "au"), "au1605 au1606 au1607 au1608 au1610 au1612 au1702 au1704");
        assert!(of("2016-12-16", "cu").starts_with("cu1701 "));
    }
}
