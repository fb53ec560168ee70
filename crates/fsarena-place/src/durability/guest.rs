//! What the agent does in a guest: it writes and acknowledges, or looks for what was acknowledged.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use fsarena_durability::log::{MARKS, SECTOR, mark};
use fsarena_durability::{Found, Syncs, Writer, find_lost};
use fsarena_execute::Refusal;
use fsarena_lane::kind::{Identity, command};
use fsarena_lane::layer::{self, Raise, StackPlace};
use fsarena_lane::{Kind, LaneError, Mounting, require};
use fsarena_model::{Bytes, Contender, ErrorCategory, seed};
use fsarena_sys::aligned::AlignedBuffer;
use fsarena_sys::block;
use fsarena_sys::child::{self, Patience};
use rustix::fs::OFlags;
use serde::{Deserialize, Serialize};

use super::rows::{self, Rows};
use crate::agent::{self, Line, Request};
use crate::{explain, words};

/// Time limit of mkfs and of a checker.
const LIMIT: Duration = Duration::from_secs(240);

/// Where the file system is mounted.
const POINT: &str = "/run/fsarena-durability";

/// The file with the key of encrypted layers, and the number of arrays, of which the guest has no other.
const KEY: &str = "/run/fsarena-key";
const NUMBER: u32 = 100;

/// What the writer does.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct WriterTask {
    /// The file system.
    pub contender: Contender,
    /// The seed of its UUID and of all records.
    pub seed: u64,
    /// What its operations are.
    pub work: WriterWork,
    /// Number of operations.
    pub operations: u64,
}

/// Who does the operations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WriterWork {
    /// System calls on files, and SQLite.
    Files(Syncs),
    /// PostgreSQL.
    Rows,
}

/// What the host asks for, as a line of JSON.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DurabilityOrder {
    /// Make a file system, and do all operations on it.
    Record(WriterTask),
    /// Look whether the first operations are there.
    Check {
        /// What the writer has done.
        task: WriterTask,
        /// Number of operations that have to be there.
        acknowledged: u64,
    },
}

/// Carries out orders until stdin ends, and answers each: what was found, or why the order could not be carried out.
pub fn serve(first: DurabilityOrder) -> Result<()> {
    let mut order = first;
    loop {
        let found = match &order {
            DurabilityOrder::Record(task) => record(task).map(|()| Found::default()),
            DurabilityOrder::Check { task, acknowledged } => check(task, *acknowledged),
        };
        let found = found.and_then(|found| Ok(serde_json::to_value(found)?));
        agent::write(&Line::Answer(found.map_err(|error| failure(&error))))?;
        let mut line = String::new();
        if io::stdin().lock().read_line(&mut line).context("read from stdin")? == 0 {
            return Ok(());
        }
        match serde_json::from_str(&line).context("read an order")? {
            Request::Durability(next) => order = *next,
            _ => bail!("only orders follow an order"),
        }
    }
}

/// The error for the host. One that is not known as an error of lanes is the writer's.
fn failure(error: &anyhow::Error) -> Refusal {
    let is_of_lane = error.is::<LaneError>();
    let (category, hint) = if is_of_lane { explain(error) } else { (ErrorCategory::Trial, None) };
    Refusal { text: words(error), category, hint }
}

fn record(task: &WriterTask) -> Result<()> {
    let (kind, disk) = (kind(task)?, find_disk()?);
    require::mount_options(&task.contender)?;
    let size = File::open(&disk).and_then(|disk| block::size(&disk)).context("look up the size of the disk")?;
    require::programs(&task.contender, Bytes(size))?;
    let identity =
        Identity { uuid: seed::uuid(task.seed, "uuid", &[]), hash_seed: seed::uuid(task.seed, "hash seed", &[]) };
    let stack = raise(task, &partition(&disk), Raise::Create)?;
    let argv = kind.mkfs(&stack, &identity, &task.contender).map_err(anyhow::Error::msg)?;
    let ended = child::run_apart(&argv, Patience::new(LIMIT)).with_context(|| format!("start {}", argv[0]))?;
    if !ended.status.success() {
        bail!("`{}` failed: {}", argv.join(" "), ended.words());
    }
    let point = mount_at(kind, task, &stack)?;
    let mut perform = begin(point, task)?;
    let marks = OpenOptions::new().write(true).custom_flags(OFlags::DIRECT.bits() as i32).open(&disk);
    let marks = marks.with_context(|| format!("open {}", disk.display()))?;
    acknowledge(&marks, 0)?;
    for operation in 0..task.operations {
        perform(operation)?;
        acknowledge(&marks, operation + 1)?;
    }
    Ok(())
}

/// Starts the writer; returns what does an operation.
fn begin(point: &Path, task: &WriterTask) -> Result<Box<dyn FnMut(u64) -> Result<()>>> {
    Ok(match task.work {
        WriterWork::Files(syncs) => {
            let mut writer = Writer::begin(point, task.seed, syncs)?;
            Box::new(move |operation| Ok(writer.perform(operation)?))
        }
        WriterWork::Rows => {
            let mut rows = Rows::begin(point, task.seed)?;
            Box::new(move |operation| rows.insert(operation))
        }
    })
}

/// Marks in the disk's log that the first `count` operations are acknowledged: the write is direct, so all requests
/// that were completed before precede it in the log.
fn acknowledge(disk: &File, count: u64) -> Result<()> {
    let mut buffer = AlignedBuffer::new(SECTOR);
    buffer.copy_from_slice(&mark(count));
    disk.write_all_at(&buffer, MARKS * SECTOR as u64).context("mark an acknowledgement")
}

fn check(task: &WriterTask, acknowledged: u64) -> Result<Found> {
    let partition = partition(&find_disk()?);
    let found = look(task, acknowledged, &partition);
    // The host changes the disk before the next check: nothing may write to it by then.
    let name = partition.file_name().unwrap_or_default().to_string_lossy();
    layer::take_down(&name).context("take down the layers")?;
    found
}

/// Opens and mounts what is on the disk, and looks for what was acknowledged.
fn look(task: &WriterTask, acknowledged: u64, partition: &Path) -> Result<Found> {
    let kind = kind(task)?;
    let mut found = Found::default();
    let unmountable = |error: anyhow::Error, recovered: Option<String>| {
        let why: Vec<String> = [format!("{error:#}")].into_iter().chain(recovered).collect();
        Ok(Found { unmountable: Some(why.join("; ")), ..Found::default() })
    };
    let stack = match raise(task, partition, Raise::Open) {
        Ok(stack) => stack,
        Err(error) => return unmountable(error, None),
    };
    let recovered = run(&command(kind.recover, &[&stack]), 1)?;
    let point = match mount_at(kind, task, &stack) {
        Ok(point) => point,
        Err(error) => return unmountable(error, recovered),
    };
    found.losses = match task.work {
        WriterWork::Files(_) => find_lost(point, task.seed, acknowledged),
        WriterWork::Rows => rows::find_lost(point, task.seed, acknowledged),
    };
    fsarena_lane::unmount(point)?;
    fsarena_lane::export_pool(&stack)?;
    found.damage = run(&command(kind.check, &[&stack]), 0)?;
    Ok(found)
}

/// Makes or opens the contender's layers; returns the topmost device.
fn raise(task: &WriterTask, device: &Path, how: Raise) -> Result<PathBuf> {
    let uuid = seed::uuid(task.seed, "layers", &[]);
    let place = StackPlace { device, name: "durability", number: NUMBER, uuid: &uuid, key: Path::new(KEY) };
    Ok(layer::raise(&task.contender.layers, &place, how)?.device)
}

/// Runs a program, and returns what it printed if its exit code is above `most`; `None` if there is no program.
fn run(argv: &[String], most: i32) -> Result<Option<String>> {
    let Some(program) = argv.first() else { return Ok(None) };
    let ended = child::run_apart(argv, Patience::new(LIMIT)).with_context(|| format!("start {program}"))?;
    let is_well = ended.status.code().is_some_and(|code| code <= most);
    let words = ended.words();
    let lines: Vec<&str> = words.lines().collect();
    let last = lines[lines.len().saturating_sub(3)..].join(" / ");
    Ok((!is_well).then(|| format!("{program} ended with {}: {last}", ended.status)))
}

fn kind(task: &WriterTask) -> Result<&'static Kind> {
    let name = &task.contender.kind;
    fsarena_lane::kind(name).with_context(|| format!("there is no kind `{name}`"))
}

fn mount_at(kind: &Kind, task: &WriterTask, device: &Path) -> Result<&'static Path> {
    let point = Path::new(POINT);
    fs::create_dir_all(point).context("make the mount point")?;
    let mounting =
        Mounting { source: device.display().to_string(), options: kind.mount_options(&task.contender).to_owned() };
    mounting.mount_at(kind, point)?;
    Ok(point)
}

/// The disk that the host knows.
fn find_disk() -> Result<PathBuf> {
    fs::canonicalize(fsarena_guest::init::by_id(fsarena_guest::RAW)).context("find the disk")
}

/// The only partition of the disk.
fn partition(disk: &Path) -> PathBuf {
    PathBuf::from(format!("{}1", disk.display()))
}
