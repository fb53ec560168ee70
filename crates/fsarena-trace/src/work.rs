//! The threads of the work before a trace.

use std::collections::{HashMap, HashSet};

/// Which threads do the work, as far as it is known before the trace.
pub struct WorkThreads {
    /// The process that traces.
    pub own_process: u32,
    /// Its thread that does or starts the work.
    pub own_thread: u32,
    /// Processes that it has started and that run already.
    pub processes: HashSet<u32>,
    /// The threads of all these processes, with their process.
    pub threads: HashMap<u32, u32>,
}

impl WorkThreads {
    /// Those of this moment.
    pub fn now() -> Self {
        let own_process = std::process::id();
        let own_thread = rustix::thread::gettid().as_raw_nonzero().get().cast_unsigned();
        let (mut processes, mut threads) = (HashSet::new(), HashMap::new());
        let mut open = vec![own_process];
        while let Some(process) = open.pop() {
            let tasks = std::fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
            for task in tasks {
                let number = task.file_name().to_str().and_then(|name| name.parse().ok());
                threads.extend(number.map(|thread: u32| (thread, process)));
                let children = std::fs::read_to_string(task.path().join("children")).unwrap_or_default();
                let children = children.split_whitespace().filter_map(|child| child.parse().ok());
                open.extend(children.filter(|child| processes.insert(*child)));
            }
        }
        Self { own_process, own_thread, processes, threads }
    }
}
