//! Control groups (cgroups(7)): which version has a controller, the groups of this process, and how much memory their
//! limits leave.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use fsarena_model::Bytes;

use crate::mountinfo::{self, Mount};

/// Versions of the kernel's control groups.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Version {
    /// Documentation/admin-guide/cgroup-v1/memory.rst.
    One,
    /// Documentation/admin-guide/cgroup-v2.rst.
    Two,
}

impl Version {
    /// The file with a group's memory limit, in bytes.
    pub fn limit_file(self) -> &'static str {
        match self {
            Self::One => "memory.limit_in_bytes",
            Self::Two => "memory.max",
        }
    }

    fn usage_file(self) -> &'static str {
        match self {
            Self::One => "memory.usage_in_bytes",
            Self::Two => "memory.current",
        }
    }
}

/// The mounted hierarchy that has a controller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hierarchy {
    /// Its version.
    pub version: Version,
    /// The topmost group that this process can see.
    pub top: PathBuf,
    pub(crate) controller: &'static str,
}

impl Hierarchy {
    /// The one that is mounted with `controller`, such as `memory`; `None` if none is. A machine may mount both
    /// versions; only one of them has the controller.
    ///
    /// # Errors
    /// If the mounts cannot be read.
    pub fn mounted(controller: &'static str) -> io::Result<Option<Self>> {
        Ok(Self::among(&mountinfo::mounts()?, controller))
    }

    fn among(mounts: &[Mount], controller: &'static str) -> Option<Self> {
        let is_first =
            |mount: &&Mount| mount.kind == "cgroup" && mount.super_options.split(',').any(|it| it == controller);
        let first = mounts.iter().find(is_first).map(|mount| (Version::One, mount));
        let second = || mounts.iter().find(|mount| mount.kind == "cgroup2").map(|mount| (Version::Two, mount));
        let (version, mount) = first.or_else(second)?;
        Some(Self { version, top: mount.point.clone(), controller })
    }

    /// The group of this process; `None` if it cannot be seen. In a container the mount may begin at that group, whose
    /// path the kernel reports as seen from outside.
    pub fn own_group(&self) -> Option<PathBuf> {
        let membership = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
        let path = self.path_in(&membership)?;
        let own = std::process::id().to_string();
        let is_here = |folder: &PathBuf| {
            let processes = fs::read_to_string(folder.join("cgroup.procs"));
            processes.is_ok_and(|processes| processes.lines().any(|process| process == own))
        };
        [self.top.join(path.trim_start_matches('/')), self.top.clone()].into_iter().find(is_here)
    }

    /// `group` and the groups above it, up to the topmost.
    pub fn up_from<'a>(&'a self, group: &'a Path) -> impl Iterator<Item = &'a Path> {
        group.ancestors().take_while(|group| group.starts_with(&self.top))
    }

    /// The path in a line such as `4:memory:/a/b`, or `0::/a/b` of version 2 (cgroups(7), `/proc/PID/cgroup`).
    pub(crate) fn path_in<'a>(&self, membership: &'a str) -> Option<&'a str> {
        membership.lines().find_map(|line| {
            let mut fields = line.splitn(3, ':').skip(1);
            let (controllers, path) = (fields.next()?, fields.next()?);
            let is_wanted = match self.version {
                Version::One => controllers.split(',').any(|controller| controller == self.controller),
                Version::Two => controllers.is_empty(),
            };
            is_wanted.then_some(path)
        })
    }
}

/// What the limit of a control group leaves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupRoom {
    /// The group with the limit.
    pub group: PathBuf,
    /// Memory that its processes may still use. Its page cache counts as free.
    pub free: Bytes,
}

/// The least that the limits on this process, of its group and of those above it, leave; `None` if there is no limit, or
/// none can be read.
pub fn memory_room() -> Option<GroupRoom> {
    let hierarchy = Hierarchy::mounted("memory").ok()??;
    room_in(&hierarchy, &hierarchy.own_group()?)
}

fn room_in(hierarchy: &Hierarchy, group: &Path) -> Option<GroupRoom> {
    hierarchy.up_from(group).filter_map(|group| room_of(hierarchy.version, group)).min_by_key(|room| room.free)
}

fn room_of(version: Version, group: &Path) -> Option<GroupRoom> {
    let number = |file: &str| fs::read_to_string(group.join(file)).ok()?.trim().parse::<u64>().ok();
    let (limit, usage) = (number(version.limit_file())?, number(version.usage_file())?);
    let statistics = fs::read_to_string(group.join("memory.stat")).unwrap_or_default();
    let cached = |name: &str| {
        let value = statistics.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' ')?.parse::<u64>().ok());
        value.unwrap_or(0)
    };
    let cache = cached("inactive_file") + cached("active_file");
    Some(GroupRoom { group: group.to_owned(), free: Bytes(limit.saturating_sub(usage.saturating_sub(cache))) })
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOTH: &str = "32 31 0:29 / /cg/cpu rw - cgroup cgroup rw,cpu\n\
        35 31 0:32 / /cg/memory rw - cgroup cgroup rw,memory\n\
        41 31 0:38 / /cg/unified rw - cgroup2 cgroup2 rw\n";

    #[test]
    fn a_controller_is_with_version_one_if_that_has_it() {
        let mounts = mountinfo::parse(BOTH);
        let found = |mounts, controller| Hierarchy::among(mounts, controller).map(|found| (found.version, found.top));
        assert_eq!(found(&mounts, "memory"), Some((Version::One, "/cg/memory".into())));
        assert_eq!(found(&mounts[2..], "memory"), Some((Version::Two, "/cg/unified".into())));
        assert_eq!(found(&mounts[..1], "memory"), None);
        assert_eq!(found(&mounts, "cpu"), Some((Version::One, "/cg/cpu".into())));
        assert_eq!(found(&mounts, "pids"), Some((Version::Two, "/cg/unified".into())));
    }

    #[test]
    fn each_version_has_a_path_of_its_own() {
        let membership = "4:memory,hugetlb:/a:b\n2:cpuacct:/\n0::/c\n";
        let hierarchy = |version, controller| Hierarchy { version, top: PathBuf::new(), controller };
        assert_eq!(hierarchy(Version::One, "memory").path_in(membership), Some("/a:b"));
        assert_eq!(hierarchy(Version::One, "cpu").path_in(membership), None);
        assert_eq!(hierarchy(Version::Two, "cpu").path_in(membership), Some("/c"));
        assert_eq!(hierarchy(Version::One, "memory").path_in("2:cpuacct:/\n"), None);
    }

    #[test]
    fn the_groups_above_end_at_the_mount() {
        let hierarchy = Hierarchy { version: Version::One, top: "/cg/cpu".into(), controller: "cpu" };
        let groups: Vec<&Path> = hierarchy.up_from(Path::new("/cg/cpu/a/b")).collect();
        assert_eq!(groups, ["/cg/cpu/a/b", "/cg/cpu/a", "/cg/cpu"].map(Path::new));
    }

    /// Plain files replace the control groups.
    #[test]
    fn the_tightest_limit_of_all_groups_above_counts_and_the_page_cache_is_free() {
        for version in [Version::One, Version::Two] {
            let place = tempfile::tempdir().expect("temporary folder");
            let (outer, inner) = (place.path().join("outer"), place.path().join("outer/inner"));
            fs::create_dir_all(&inner).expect("made");
            let write = |group: &Path, limit: &str, usage: &str| {
                fs::write(group.join(version.limit_file()), limit).expect("written");
                fs::write(group.join(version.usage_file()), usage).expect("written");
            };
            write(&outer, "1000\n", "600\n");
            write(&inner, "max\n", "600\n");
            fs::write(outer.join("memory.stat"), "file 450\ninactive_file 150\nactive_file 250\n").expect("written");
            let hierarchy = Hierarchy { version, top: place.path().to_owned(), controller: "memory" };
            let found = room_in(&hierarchy, &inner);
            assert_eq!(found, Some(GroupRoom { group: outer, free: Bytes(800) }));
        }
    }
}
