//! The names of Debian's packages of kernels: which kernels there are, and which of them is meant.

use std::collections::BTreeSet;

use super::PARTS;
use crate::GuestError;
use crate::packages::Packages;

/// The version in a name such as `linux-6.1`.
fn version(name: &str) -> Option<&str> {
    name.strip_prefix("linux-").filter(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}

/// Whether it is the name of a kernel's package, or a version such as `linux-6.1`.
pub(super) fn is_kernel(name: &str) -> bool {
    version(name).is_some() || release(name).is_some()
}

/// Which of `kernels` is `wanted`: the name of one, or a version such as `linux-6.1`, of which it is the newest.
pub fn named(kernels: &[String], wanted: &str) -> Option<usize> {
    let numbers = version(wanted).and_then(|version| numbers(version, &['.']));
    let is_of = |name: &str| numbers.as_ref().zip(release(name)).is_some_and(|(own, all)| all.starts_with(own));
    kernels.iter().rposition(|name| name == wanted || is_of(name))
}

/// The packages of kernels for 64-bit PCs that the mirrors have with their modules, from the oldest release to the
/// newest.
pub fn available(packages: &Packages) -> Result<Vec<String>, GuestError> {
    packages.names("linux-").map(complete)
}

/// The kernels among these packages, without those in several packages of which some are missing: mirrors have the
/// signed images of a release for longer than its modules.
fn complete(names: Vec<String>) -> Vec<String> {
    let known: BTreeSet<String> = names.iter().cloned().collect();
    let has = |image: &str, part: &str| known.contains(&image.replacen(PARTS[0], part, 1));
    let mut images = sorted(names);
    images.retain(|image| has(image, PARTS[1]) == has(image, PARTS[2]));
    images
}

/// The kernels for 64-bit PCs among these packages, from the oldest release to the newest.
pub fn sorted(mut names: Vec<String>) -> Vec<String> {
    names.retain(|name| release(name).is_some());
    names.sort_by_cached_key(|name| (release(name), name.clone()));
    names
}

/// The numbers of a release, such as 6, 1, 0 and 47 of `linux-image-6.1.0-47-amd64`; `None` for other packages, those
/// that only depend on one, and kernels for clouds or real time.
pub(super) fn release(package: &str) -> Option<Vec<u32>> {
    let release = package.strip_prefix("linux-image-")?.strip_suffix("-amd64")?;
    // What Debian adds, such as `+deb12`; `+deb12-rt` is another kernel.
    let release = match release.split_once('+') {
        Some((_, added)) if added.contains('-') => return None,
        Some((release, _)) => release,
        None => release,
    };
    numbers(release, &['.', '-']).filter(|numbers| numbers.len() > 2)
}

fn numbers(text: &str, separators: &[char]) -> Option<Vec<u32>> {
    text.split(separators).map(|number| number.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kernel_without_its_modules_is_not_available() {
        let names =
            ["image-6.18.15", "image-6.19.14", "binary-6.19.14", "image-7.3.4", "binary-7.3.4", "modules-7.3.4"];
        let name = |name: &str| format!("linux-{name}+deb13-amd64");
        assert_eq!(complete(names.map(name).to_vec()), ["image-6.18.15", "image-7.3.4"].map(name));
    }

    #[test]
    fn releases_are_sorted_by_their_numbers() {
        let names = ["linux-image-6.12.100+deb12-amd64", "linux-image-6.1.0-56-amd64", "linux-image-6.1.0-9-amd64"];
        let mut releases: Vec<Vec<u32>> = names.iter().filter_map(|name| release(name)).collect();
        releases.sort();
        assert_eq!(releases, [vec![6, 1, 0, 9], vec![6, 1, 0, 56], vec![6, 12, 100]]);
        let names = names.map(str::to_owned);
        assert_eq!([named(&names, "linux-6.1"), named(&names, "linux-6.12")], [Some(2), Some(0)]);
        for other in ["linux-image-amd64", "linux-image-6.12-amd64", "linux-image-6.1.0-47-rt-amd64", "linux-libc-dev"]
        {
            assert_eq!(release(other), None, "{other}");
        }
    }
}
