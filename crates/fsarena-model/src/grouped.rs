//! Lists by what their items have in common, in the order of the first ones.

/// The values by their keys.
pub fn grouped<K: PartialEq, V>(pairs: impl IntoIterator<Item = (K, V)>) -> Vec<(K, Vec<V>)> {
    let mut groups: Vec<(K, Vec<V>)> = Vec::new();
    for (key, value) in pairs {
        match groups.iter_mut().find(|(known, _)| *known == key) {
            Some((_, values)) => values.push(value),
            None => groups.push((key, vec![value])),
        }
    }
    groups
}

/// The items without repetitions.
pub fn distinct<T: PartialEq>(items: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut all = Vec::new();
    for item in items {
        if !all.contains(&item) {
            all.push(item);
        }
    }
    all
}

/// The items as text, with `separator` between them.
pub fn joined<T: ToString>(items: impl IntoIterator<Item = T>, separator: &str) -> String {
    items.into_iter().map(|item| item.to_string()).collect::<Vec<_>>().join(separator)
}

/// The first item that is there again; `None` if each is there once.
pub fn repeated<T: PartialEq>(items: impl IntoIterator<Item = T>) -> Option<T> {
    let mut all = Vec::new();
    for item in items {
        if all.contains(&item) {
            return Some(item);
        }
        all.push(item);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_and_items_keep_the_order_of_the_first_ones() {
        assert_eq!(grouped([("b", 1), ("a", 2), ("b", 3)]), [("b", vec![1, 3]), ("a", vec![2])]);
        assert_eq!(distinct(["b", "a", "b"]), ["b", "a"]);
        assert_eq!([repeated(["b", "a", "b"]), repeated(["b", "a"])], [Some("b"), None]);
    }
}
