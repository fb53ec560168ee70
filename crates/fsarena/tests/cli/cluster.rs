//! A cluster of real parts on this machine: Slurm, ssh, and two shared file systems that two nodes have mounted.

use std::path::Path;
use std::process::Command;

use fsarena_testing::{Need, has};

use crate::stage::{binary, out, run};

/// fsarena is on no node, so ssh and srun copy it there.
#[test]
fn nodes_of_a_cluster_are_clients_of_two_file_systems() {
    let programs = ["/usr/bin/srun", "/usr/sbin/munged", "/usr/sbin/sshd", "/usr/sbin/mfsmaster", "/usr/bin/sshfs"];
    let needs: Vec<Need> = programs.into_iter().chain(["/dev/fuse"]).map(Need::Path).chain([Need::Root]).collect();
    if !has(&needs) {
        return;
    }
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scripts/cluster");
    let output = run(Command::new(script).arg("smoke").arg(binary()).args(["moosefs", "sshfs"]), 0);
    assert_eq!(out(&output).matches("fsarena compare moosefs=").count(), 2, "{}", out(&output));
}
