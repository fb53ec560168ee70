//! Compares the machine and the contenders of a stored run with the present ones.
//!
//! A property that is unknown on either side is not compared.

use fsarena_model::{ContenderFacts, Environment};

/// Reads one property of a machine, in words.
type Facet = fn(&Environment) -> Option<String>;

/// Properties that must not differ between rounds of one run.
const DECISIVE: [Facet; 5] = [
    |machine| machine.kernel.as_ref().map(|release| format!("Linux {release}")),
    |machine| machine.cpu.clone(),
    |machine| machine.cores.map(|count| if count == 1 { "1 core".to_owned() } else { format!("{count} cores") }),
    |machine| machine.lanes.storage.clone(),
    |machine| machine.lanes.host_file_system.as_ref().map(|host| format!("lanes above {host}")),
];

/// Properties of which a difference causes a warning.
const NOTABLE: [Facet; 3] = [
    |machine| Some(format!("fsarena {}", machine.fsarena)),
    |machine| machine.memory.map(|memory| format!("{memory} of memory")),
    |machine| machine.lanes.device.clone(),
];

/// Why further rounds on the machine `now` are not comparable with rounds on the machine `then`; `None` if they are.
pub fn difference(then: &Environment, now: &Environment) -> Option<String> {
    let tools = then.tools.iter().filter_map(|(tool, version)| Some((version.clone(), now.tools.get(tool)?.clone())));
    words(differing(&DECISIVE, then, now).into_iter().chain(tools.filter(|(then, now)| then != now)).collect())
}

/// Other differences between `then` and `now`, for a warning; `None` if there are none.
pub fn change(then: &Environment, now: &Environment) -> Option<String> {
    words(differing(&NOTABLE, then, now))
}

fn differing(facets: &[Facet], then: &Environment, now: &Environment) -> Vec<(String, String)> {
    let pairs = facets.iter().filter_map(|facet| Some((facet(then)?, facet(now)?)));
    pairs.filter(|(then, now)| then != now).collect()
}

fn words(pairs: Vec<(String, String)>) -> Option<String> {
    let (then, now): (Vec<String>, Vec<String>) = pairs.into_iter().unzip();
    (!then.is_empty()).then(|| format!("the run was on {}, this is {}", then.join(" and "), now.join(" and ")))
}

/// Why further rounds of the contender `now` are not comparable with its rounds `then`; `None` if they are.
pub fn difference_of(then: &ContenderFacts, now: &ContenderFacts) -> Option<String> {
    let label = &then.label;
    if chosen(&then.mkfs) != chosen(&now.mkfs) {
        return Some(format!("`{label}` was made by `{}`, now by `{}`", then.mkfs.join(" "), now.mkfs.join(" ")));
    }
    if then.features != now.features {
        let (then, now) = (then.features.join(" "), now.features.join(" "));
        return Some(format!("`{label}` was made with the features `{then}`, now with `{now}`"));
    }
    let is_alike = then.mount == now.mount;
    (!is_alike).then(|| format!("`{label}` was mounted as `{}`, now as `{}`", then.mount, now.mount))
}

/// The options of an mkfs command, without its device, which depends on the lane, and its UUIDs, which depend on the
/// round.
fn chosen(mkfs: &[String]) -> Vec<&str> {
    let words = mkfs.split_last().map_or(&[][..], |(_device, words)| words);
    words.iter().flat_map(|word| word.split([',', '='])).filter(|piece| !is_uuid(piece)).collect()
}

fn is_uuid(text: &str) -> bool {
    let fits = |(place, letter): (usize, char)| match place {
        8 | 13 | 18 | 23 => letter == '-',
        _ => letter.is_ascii_hexdigit(),
    };
    text.len() == 36 && text.chars().enumerate().all(fits)
}

#[cfg(test)]
mod tests {
    use fsarena_model::{Bytes, Durability, Label};

    use super::*;

    fn machine() -> Environment {
        Environment {
            fsarena: "0.1.0".to_owned(),
            kernel: Some("6.17.0".to_owned()),
            cores: Some(2),
            memory: Some(Bytes::gib(4)),
            tools: [("mke2fs".to_owned(), "mke2fs 1.47.0".to_owned())].into(),
            ..Environment::default()
        }
    }

    fn ext4(uuid: &str, device: &str, further: &str, mount: &str) -> ContenderFacts {
        let argv = ["mke2fs", "-U", uuid, "-E", &format!("nodiscard,hash_seed={uuid}"), further, device];
        let facts = ContenderFacts::new(Label::from("ext4"), Durability::Flushed);
        ContenderFacts { mkfs: argv.map(str::to_owned).to_vec(), mount: mount.to_owned(), ..facts }
    }

    #[test]
    fn another_kernel_or_tool_is_a_difference() {
        let newer = Environment {
            kernel: Some("6.18.1".to_owned()),
            tools: [("mke2fs".to_owned(), "mke2fs 1.48.0".to_owned())].into(),
            ..machine()
        };
        let words = "the run was on Linux 6.17.0 and mke2fs 1.47.0, this is Linux 6.18.1 and mke2fs 1.48.0";
        assert_eq!(difference(&machine(), &newer).as_deref(), Some(words));
        assert_eq!((difference(&machine(), &machine()), change(&machine(), &machine())), (None, None));
    }

    #[test]
    fn absent_facts_are_no_difference_and_versions_are_only_noted() {
        let blind = Environment { kernel: None, cpu: Some("some".to_owned()), tools: Default::default(), ..machine() };
        assert_eq!(difference(&machine(), &blind), None);
        let newer = Environment { fsarena: "0.2.0".to_owned(), ..machine() };
        assert_eq!(difference(&machine(), &newer), None);
        let words = "the run was on fsarena 0.1.0, this is fsarena 0.2.0";
        assert_eq!(change(&machine(), &newer).as_deref(), Some(words));
    }

    #[test]
    fn a_contender_may_have_another_uuid_and_lane_but_no_other_options() {
        let (one, other) = ("01234567-89ab-cdef-0123-456789abcdef", "11234567-89ab-4def-8123-456789abcdef");
        let then = ext4(one, "/dev/loop1000", "-q", "ext4 rw");
        let now = ext4(other, "/dev/loop1001", "-q", "ext4 rw");
        assert_eq!(difference_of(&then, &now), None);
        let asked = ContenderFacts { says_alignment: Some(true), ..now };
        assert_eq!(difference_of(&then, &asked), None, "a run from before this was asked goes on");
        let made = difference_of(&then, &ext4(other, "/dev/loop1001", "-Q", "ext4 rw"));
        assert!(made.is_some_and(|text| text.contains("`ext4` was made by") && text.contains(other)));
        let mounted = difference_of(&then, &ext4(other, "/dev/loop1001", "-q", "ext4 rw,noatime"));
        assert_eq!(mounted.as_deref(), Some("`ext4` was mounted as `ext4 rw`, now as `ext4 rw,noatime`"));
    }
}
