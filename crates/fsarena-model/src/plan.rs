//! The plan: everything that a run will do, as a value that can be printed, hashed and repeated.

mod extension;
mod parts;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::mix::Mix;
use crate::{
    Bytes, Clients, Contender, DebianRelease, Guest, Label, Matrix, Nanos, Often, Precondition, Share, Stated, Workload,
};

pub use extension::{Extension, Harness, Opaque, Scale};
pub use parts::{Lanes, LeftOut, Medium, NoiseBounds, Rounds, Slowdown, Storage, Unavailable, how_to_install, listed};

/// Everything that a run will do. The same plan gives the same schedule, offsets, names and bytes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// In command-line order, labels unique.
    pub contenders: Vec<Contender>,
    /// In the suite's order.
    pub workloads: Vec<Workload>,
    /// What the plan takes from the suite of its workloads, if they were not named one by one.
    #[serde(flatten)]
    pub suite: FromSuite,
    /// The seed of every random choice. It can exceed the integers that all JSON readers support: it is written as text.
    #[serde(with = "crate::text")]
    pub seed: u64,
    /// When to stop.
    pub rounds: Rounds,
    /// The ratio within which two contenders count as equivalent.
    pub margin: Share,
    /// What contenders are made on.
    #[serde(flatten)]
    pub lanes: LanePlan,
    /// The virtual machine in which all of this happens; `None`: on the host itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub guest: Option<Guest>,
    /// The machines that do the work; `None`: this one, alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clients: Option<Clients>,
    /// What the user states about servers of contenders.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub guarantees: Vec<Stated>,
    /// What is measured besides the work, or differently.
    #[serde(flatten)]
    pub measuring: Measuring,
    /// Contenders that skip a workload because they do not support it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<LeftOut>,
    /// What another crate adds.
    #[serde(rename = "reproduces", default, skip_serializing_if = "Option::is_none")]
    pub extension: Option<Box<Extension>>,
    /// How much each workload counts for the reader.
    #[serde(flatten)]
    pub weighting: Weighting,
    /// What the plan was made from, as typed.
    #[serde(flatten)]
    pub arguments: Arguments,
}

/// What a plan takes from the suite of its workloads.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FromSuite {
    /// The suite's name; `None`: the workloads were named one by one.
    #[serde(rename = "suite")]
    pub name: Option<String>,
    /// A sentence before all results: what the suite does not show. Empty if there is nothing to say.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub preface: String,
    /// The scale at which the workloads of a suite are compared.
    #[serde(default, skip_serializing_if = "crate::is_default")]
    pub scale: Scale,
    /// Workloads of the suite that are not run, because programs are missing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unavailable: Vec<Unavailable>,
    /// How often a run of this suite measures baselines by default.
    #[serde(default = "Often::always", skip_serializing_if = "Often::is_always")]
    pub usual_baselines: Often,
    /// Workloads of the suite that form a group, by the name of the group.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub groups: BTreeMap<String, Vec<String>>,
}

impl Default for FromSuite {
    fn default() -> Self {
        Self {
            name: None,
            preface: String::new(),
            scale: Scale::default(),
            unavailable: Vec::new(),
            usual_baselines: Often::Always,
            groups: BTreeMap::new(),
        }
    }
}

/// What contenders are made on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LanePlan {
    /// Where the lanes' images go.
    pub storage: Storage,
    /// The size of each lane.
    #[serde(rename = "lane_size")]
    pub size: Bytes,
    /// The medium that the lanes' queue settings imitate.
    pub medium: Medium,
    /// What is done to the lanes' devices before anything is measured.
    #[serde(default, skip_serializing_if = "Precondition::is_none")]
    pub precondition: Precondition,
    /// Whether each contender has its own lane, or all use the same one in turn.
    #[serde(rename = "lanes", default, skip_serializing_if = "Lanes::is_own")]
    pub shared: Lanes,
    /// The release of Debian whose programs make and check file systems; `None`: those of the machine or of its guest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools: Option<DebianRelease>,
    /// The part of a budget that is not for rounds: estimated time to write the lanes, and to remove them.
    #[serde(default)]
    pub reserved: Nanos,
}

impl LanePlan {
    /// Lanes as they come: one for each contender, not preconditioned, made in no time.
    pub fn new(storage: Storage, size: Bytes, medium: Medium) -> Self {
        let (precondition, shared, reserved) = (Precondition::None, Lanes::Own, Nanos(0));
        Self { storage, size, medium, precondition, shared, tools: None, reserved }
    }
}

/// What is measured besides the work, or differently.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Measuring {
    /// When a round does not count for a workload because of other load on the machine.
    #[serde(default = "NoiseBounds::ignored", skip_serializing_if = "NoiseBounds::is_ignored")]
    pub noise: NoiseBounds,
    /// How often baselines, the three clocks and the used space are measured.
    #[serde(default, skip_serializing_if = "crate::is_default")]
    pub baselines: Often,
    /// Whether the time of each contender's work is divided into parts, by further slices that are traced.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub explained: bool,
    /// Contenders whose slices are measured without probes, to determine the cost of the probes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub uncounted: Vec<Label>,
    /// Contenders that are slowed down on purpose, to test whether that is detected.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub slowdowns: Vec<Slowdown>,
}

/// How much each workload counts for the reader.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Weighting {
    /// The reader's own mix of the workloads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mix: Option<Mix>,
    /// The profile, by name or file, that the mix is from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<String>,
}

/// What a plan was made from, as typed, so that its command can be shown again.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Arguments {
    /// The arguments that named files of contenders, by label; relative paths start at the directory where they were
    /// typed.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub contender_files: BTreeMap<String, String>,
    /// The arguments that named files of workloads, by the workload's name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub workload_files: BTreeMap<String, String>,
    /// The options that made the workloads of a command of the user's own, as typed: `--command`, its command, and so
    /// on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub own_commands: Vec<String>,
    /// The matrices that some of the contenders come from.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub matrices: Vec<Matrix>,
}

impl Plan {
    /// A plan with these contenders and no workloads, on lanes of 1 GiB in memory, for a second: callers change what
    /// they need.
    pub fn of(contenders: Vec<Contender>) -> Self {
        Self {
            contenders,
            workloads: Vec::new(),
            suite: FromSuite::default(),
            seed: 1,
            rounds: Rounds::Within(Nanos::seconds(1)),
            margin: Share(0.05),
            lanes: LanePlan::new(Storage::Memory, Bytes::gib(1), Medium::Nvme),
            guest: None,
            clients: None,
            guarantees: Vec::new(),
            measuring: Measuring::default(),
            left_out: Vec::new(),
            extension: None,
            weighting: Weighting::default(),
            arguments: Arguments::default(),
        }
    }

    /// The plan on other storage.
    pub fn with_storage(self, storage: Storage) -> Self {
        Self { lanes: LanePlan { storage, ..self.lanes }, ..self }
    }

    /// Extra time of each operation of the contender `label`, as a share of its time; 0 for most contenders.
    pub fn slowdown(&self, label: &Label) -> f64 {
        let own = self.measuring.slowdowns.iter().find(|slowdown| slowdown.label == *label);
        own.map_or(0.0, |slowdown| slowdown.share.0)
    }

    /// Whether contenders have virtual disks of their own, in a guest.
    pub fn has_own_disks(&self) -> bool {
        self.contenders.iter().any(|contender| contender.disk.is_some())
    }

    /// The kernels that contenders name, each of which has a guest of its own, in the order of their first contenders;
    /// `None` is the kernel of the run.
    pub fn kernels(&self) -> Vec<Option<&str>> {
        crate::distinct(self.contenders.iter().map(|contender| contender.kernel.as_deref()))
    }

    /// Whether the contender `label` does the workload of that name.
    pub fn takes_part(&self, label: &Label, workload: &str) -> bool {
        !self.left_out.iter().any(|left_out| left_out.label == *label && left_out.workload == workload)
    }

    /// Whether this is only a smoke test: then there are no verdicts.
    pub fn is_smoke(&self) -> bool {
        self.suite.scale == Scale::Smoke
            || self.extension.as_ref().is_some_and(|extension| extension.scale == Scale::Smoke)
    }

    /// The SHA-256 of the plan's JSON, in hexadecimal.
    pub fn hash(&self) -> String {
        let json = serde_json::to_vec(self).expect("a plan has only string keys and finite numbers");
        Sha256::digest(json).iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(seed: u64) -> Plan {
        Plan {
            suite: FromSuite { name: Some("quick".to_owned()), ..FromSuite::default() },
            seed,
            rounds: Rounds::Within(Rounds::usual_budget(2)),
            lanes: LanePlan::new(Storage::Memory, Bytes::gib(2), Medium::Nvme),
            ..Plan::of(vec!["ext4".parse().expect("spelling"), "xfs".parse().expect("spelling")])
        }
    }

    #[test]
    fn a_slowdown_has_a_label_and_a_percentage() {
        let slowdown: Slowdown = "a=b:x=5%".parse().expect("well spelled");
        assert_eq!(slowdown, Slowdown { label: Label::from("a=b:x"), share: Share(0.05) });
        for wrong in ["b", "b=0.05", "b=0%", "=", "b=x%"] {
            assert!(wrong.parse::<Slowdown>().is_err(), "{wrong}");
        }
        let measuring = Measuring { slowdowns: vec![slowdown], ..Measuring::default() };
        let plan = Plan { measuring, ..plan(1) };
        assert_eq!((plan.slowdown(&Label::from("a=b:x")), plan.slowdown(&Label::from("xfs"))), (0.05, 0.0));
    }

    #[test]
    fn the_hash_follows_the_content() {
        assert_eq!(plan(1).hash(), plan(1).hash());
        assert_ne!(plan(1).hash(), plan(2).hash());
        assert_eq!(plan(1).hash().len(), 64);
    }

    #[test]
    fn a_plan_survives_json() {
        let original = plan(u64::MAX);
        let json = serde_json::to_string(&original).expect("serializable");
        assert!(json.contains(r#""seed":"18446744073709551615""#));
        assert_eq!(serde_json::from_str::<Plan>(&json).expect("readable"), original);
    }

    #[test]
    fn a_plan_keeps_its_hash_whatever_another_crate_adds() {
        let json = serde_json::to_string(&plan(1)).expect("serializable");
        let added = r#","reproduces":{"article":{"z":1.50,"a":{"y":null,"b":[1e3]}},"scale":"smoke","harness":"both"}"#;
        let stored = format!("{}{added}}}", json.strip_suffix('}').expect("an object"));
        let read: Plan = serde_json::from_str(&stored).expect("readable");
        assert_eq!(serde_json::to_string(&read).expect("serializable"), stored);
        assert!(read.is_smoke());
    }

    #[test]
    fn a_plan_from_before_there_were_bounds_excludes_nothing_and_keeps_its_hash() {
        let measuring = Measuring { noise: NoiseBounds::ignored(), ..Measuring::default() };
        let old = Plan { measuring, ..plan(1) };
        let json = serde_json::to_string(&old).expect("serializable");
        for later in [
            "noise", "precondition", "unavailable", "scale", "mix", "groups", "contender_files", "workload_files",
            "own_commands", "matrices", "guarantees", "tools",
        ] {
            assert!(!json.contains(later), "{later}");
        }
        assert_eq!(serde_json::from_str::<Plan>(&json).expect("readable"), old);
        assert_ne!(plan(1).hash(), old.hash());
    }

    #[test]
    fn the_default_budget_is_three_minutes_up_to_three_contenders() {
        assert_eq!(Rounds::usual_budget(2), Nanos::seconds(180));
        assert_eq!(Rounds::usual_budget(5), Nanos::seconds(300));
    }

    #[test]
    fn storage_under_dev_is_a_disk() {
        assert_eq!(Storage::from("/dev/sdb1"), Storage::Disk("/dev/sdb1".into()));
        let partitions = Storage::from("/dev/sdb1,/dev/sdb2");
        assert_eq!(partitions, Storage::Partitions(vec!["/dev/sdb1".into(), "/dev/sdb2".into()]));
        assert_eq!(partitions.disks().len(), 2);
        assert_eq!(Storage::from("/dev/disk/by-id/a,b"), Storage::Disk("/dev/disk/by-id/a,b".into()));
        assert_eq!(Storage::from("dir:/dev/shm"), Storage::Directory("/dev/shm".into()));
        assert_eq!(Storage::from("/srv"), Storage::Directory("/srv".into()));
        assert_eq!(Storage::from("memory"), Storage::Memory);
    }
}
