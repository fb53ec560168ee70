//! Distributes rows among contracts: exactly the requested number in total, by the activity of the contracts, and at
//! most one row per half second for each contract.

/// The claim of a contract: its weight, and its maximum number of rows.
#[derive(Debug, Clone, Copy)]
pub struct Claim {
    pub weight: u64,
    pub most: u64,
}

/// Gives each claim one row, and distributes the others in proportion to weight and maximum. Rows above the maximum of
/// a claim go to the other claims. `rows` is at least the number of claims, and at most the sum of their maxima.
pub fn shares(claims: &[Claim], rows: u64) -> Vec<u64> {
    let mut shares = vec![1; claims.len()];
    let mut left = rows - claims.len() as u64;
    while left > 0 {
        let open: Vec<usize> = (0..claims.len()).filter(|index| shares[*index] < claims[*index].most).collect();
        let weight = |index: usize| u128::from(claims[index].weight) * u128::from(claims[index].most);
        let all: u128 = open.iter().map(|index| weight(*index)).sum();
        let wanted = left;
        for index in open {
            // Rounding up ensures that all rows are given. There may be none left for the last claims.
            let share = (u128::from(wanted) * weight(index)).div_ceil(all) as u64;
            let given = share.min(claims[index].most - shares[index]).min(left);
            shares[index] += given;
            left -= given;
        }
    }
    shares
}

#[cfg(test)]
mod tests {
    use super::*;

    const CLAIMS: [Claim; 4] = [
        Claim { weight: 100, most: 1000 },
        Claim { weight: 10, most: 1000 },
        Claim { weight: 1, most: 1000 },
        Claim { weight: 1, most: 10 },
    ];

    #[test]
    fn all_rows_are_given_within_the_room_of_each() {
        for rows in [4, 5, 100, 1111, 2500, 3009, 3010] {
            let shares = shares(&CLAIMS, rows);
            assert_eq!(shares.iter().sum::<u64>(), rows);
            assert!(shares.iter().zip(CLAIMS).all(|(share, claim)| (1..=claim.most).contains(share)), "{shares:?}");
        }
    }

    #[test]
    fn more_active_contracts_have_larger_shares() {
        let shares = shares(&CLAIMS, 1114);
        assert!(shares[0] > 9 * shares[1] && shares[1] > 9 * shares[2] && shares[2] > shares[3], "{shares:?}");
    }
}
