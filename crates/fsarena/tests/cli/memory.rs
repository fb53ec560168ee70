//! Memory limits: the drop in speed between a file that fits into memory and one that does not.

use fsarena_testing::{Need, has};

use crate::stage::{Stage, err, run};

/// Writes a workload to a file: random reads of `file` MB within a memory limit of `limit` MB.
pub fn workload(stage: &Stage, name: &str, file: u32, limit: u32) -> String {
    let fields = format!(
        "engine = 'data'\ncache = 'warm'\nmode = 'sliced'\nslices = 2\nwarm-up-ms = 10\ntimed-ms = 50\n\
         memory-limit = '{limit}M'\n\
         parameters = {{ operation = 'read', pattern = 'random', file-size = '{file}M', block-size = '4K' }}"
    );
    stage.workload(name, &fields)
}

fn can_limit_memory() -> bool {
    has(&[Need::Root, Need::MemoryGroups])
}

#[test]
fn a_file_larger_than_its_memory_is_read_from_the_device_again_and_again() {
    if !can_limit_memory() {
        return;
    }
    let stage = Stage::new();
    let (fits, exceeds) = (workload(&stage, "fits", 24, 96), workload(&stage, "exceeds", 144, 48));
    run(stage.compare(&["ext4", "xfs"]).args(["--rounds", "1", "--workload", &fits, "--workload", &exceeds]), 0);
    let report = stage.json();
    let cells = report["cells"].as_array().expect("an array");
    assert_eq!(cells.len(), 4);
    for cell in cells {
        let probe = |name: &str| cell["probes"][name]["value"].as_f64().expect("counted");
        let read = probe("device.read");
        match cell["workload"].as_str() {
            Some("fits") => {
                let all = read * probe("latency.read.count");
                assert!(all < 24.0 * 1e6, "some pages at most were read again: {cell}");
            }
            _ => assert!(read > 2048.0, "a third of it at most is in memory: {cell}"),
        }
    }
    assert_eq!(stage.left(), Vec::<String>::new());
}

#[test]
fn a_too_small_memory_limit_is_refused_before_anything_is_made() {
    if !can_limit_memory() {
        return;
    }
    let stage = Stage::new();
    let tiny = workload(&stage, "tiny", 8, 16);
    let output = run(stage.compare(&["ext4", "xfs"]).args(["--rounds", "1", "--workload", &tiny]), 2);
    assert!(err(&output).contains("16.0 MiB") && err(&output).contains("memory-limit = \"32M\""), "{}", err(&output));
    assert_eq!(stage.left(), Vec::<String>::new());
}
