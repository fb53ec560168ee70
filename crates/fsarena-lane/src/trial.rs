//! Makes and mounts each contender that has options once, on a sparse image in memory: the kernel refuses some options
//! only when it mounts, replaces the values of others, and drops some without a word.

mod shown;

use std::fs::File;
use std::path::Path;

use fsarena_model::{Bytes, Contender, Plan, Workload};
use fsarena_sys::loopdev::FileExtent;
use fsarena_sys::mountinfo;

use crate::kind::{Ground, Identity, Kind, kind};
use crate::lane::{Backing, Lane};
use crate::ledger::{Ledger, Made};
use crate::mounted::{self, MOST_TRIED, Mounting, TRIED};
use crate::require::{MKFS_HINT, is_root};
use crate::{LaneError, loops, space};

/// The share of an image that has to be free in memory: as much as mkfs writes.
const WRITTEN: u64 = 16;

/// Fewer files than this are said.
const FEW_FILES: u64 = 10_000;

/// Whether something can be made for a trial: as root, where there are loop devices and memory for images.
pub fn is_possible(plan: &Plan) -> bool {
    let needed = Bytes(plan.lanes.size.min(MOST_TRIED).0 / WRITTEN);
    let has_room =
        || space::shared_memory().is_some_and(|memory| space::free_space(memory).is_ok_and(|it| it >= needed));
    plan.contenders.iter().any(|contender| tried(contender).is_some())
        && is_root()
        && loops::require().is_ok()
        && has_room()
}

/// Makes and mounts each contender of `plan` that has options, in the mount namespace of this process, and removes it
/// at once. Returns what a user should know: options that change nothing, and warnings of mkfs; nothing where that is
/// not possible.
///
/// # Errors
/// Why contenders are refused: all that are.
pub fn contenders(plan: &Plan, ledger: &mut Ledger) -> Result<Vec<String>, Vec<LaneError>> {
    let (mut notes, mut errors) = (Vec::new(), Vec::new());
    if !is_possible(plan) {
        return Ok(notes);
    }
    for (index, contender) in plan.contenders.iter().enumerate() {
        let Some(kind) = tried(contender) else { continue };
        let before = ledger.count();
        let found = OptionTrial { plan, contender, kind, index }.run(ledger);
        match ledger.undo_after(before).and(found) {
            Ok(found) => notes.extend(found),
            Err(error) => errors.push(error),
        }
    }
    notes.sort();
    notes.dedup();
    if errors.is_empty() { Ok(notes) } else { Err(errors) }
}

/// The kind of a contender that has options to be tried. A pool would be imported, and a folder of the host is mounted
/// from a server.
fn tried(contender: &Contender) -> Option<&'static Kind> {
    let has_options = !contender.mkfs.is_empty() || !contender.mount.is_empty();
    let can_be = |kind: &&Kind| matches!(kind.ground, Ground::Lane | Ground::Memory) && !kind.is_pool;
    kind(&contender.kind).filter(can_be).filter(|_| has_options)
}

struct OptionTrial<'a> {
    plan: &'a Plan,
    contender: &'a Contender,
    kind: &'static Kind,
    index: usize,
}

impl OptionTrial<'_> {
    fn run(&self, ledger: &mut Ledger) -> Result<Vec<String>, LaneError> {
        let folder = space::shared_memory().unwrap_or(Path::new("/tmp")).join(format!("{}-trial", ledger.name()));
        let point = folder.join("point");
        ledger.make_directory(&folder, 0o700)?;
        ledger.make_directory(&point, 0o755)?;
        let lane = (self.kind.ground == Ground::Lane).then(|| self.lane(ledger, &folder.join("image"))).transpose()?;
        let mut notes = lane.as_ref().map_or(Ok(None), |lane| self.make(lane))?.into_iter().collect::<Vec<_>>();
        let source = lane.as_ref().map_or_else(|| "fsarena".to_owned(), |lane| lane.path().display().to_string());
        ledger.announce(Made::Mount { path: point.clone() })?;
        let words: Vec<&str> = self.contender.mount.split(',').filter(|word| !word.is_empty()).collect();
        let shown = |words: &[&str]| self.shown(&source, &point, words).map(|(options, _)| options);
        // First, since an option may stay in effect. Without options, or with one of them alone, it may not be mounted: then
        // nothing is known of them.
        let none = if words.is_empty() { None } else { shown(&[]).ok() };
        let is_refused = |word: &&str| none.is_some() && words.len() > 1 && shown(&[*word]).is_err();
        let (all, room) = self.shown(&source, &point, &words).map_err(|error| {
            let refused: Vec<&str> = words.iter().copied().filter(is_refused).collect();
            self.not_mounted(error, none.is_some(), if refused.is_empty() { &words } else { &refused })
        })?;
        notes.extend(self.room(room)?);
        let Some(none) = none else { return Ok(notes) };
        for &word in &words {
            let alone = if words.len() == 1 { Ok(all.clone()) } else { shown(&[word]) };
            let Ok(alone) = alone else { continue };
            let refused =
                |why| LaneError::bad_option(self.contender, format!("the mount option `{word}`: {why}"), LEAVE);
            let has_effect = shown::effect(word, &none, &alone, &all).map_err(refused)?;
            let name = self.kind.name;
            let note =
                || format!("`{word}` shows no effect on {name}: it is a default of this kernel, or ignored by it");
            notes.extend((!has_effect).then(note));
        }
        Ok(notes)
    }

    /// A lane on a sparse image.
    fn lane(&self, ledger: &mut Ledger, image: &Path) -> Result<Lane, LaneError> {
        let file = File::options().read(true).write(true).create_new(true).open(image);
        let file = file.map_err(LaneError::io("make", image))?;
        file.set_len(self.size().0).map_err(LaneError::io("make", image))?;
        let backing = Backing { file: &file, path: image, extent: FileExtent::default() };
        Lane::bind(ledger, &backing, self.plan, self.index)
    }

    fn size(&self) -> Bytes {
        self.plan.lanes.size.min(MOST_TRIED)
    }

    /// Makes it on a lane. Returns a warning of its mkfs.
    fn make(&self, lane: &Lane) -> Result<Option<String>, LaneError> {
        let Self { plan, contender, kind, index } = self;
        // The rounds of the run begin with 1.
        let identity = Identity::of(plan.seed, 0, *index);
        let refused = |what| LaneError::bad_option(contender, what, MKFS_HINT);
        let argv = kind.mkfs(&lane.path(), &identity, contender).map_err(refused)?;
        let ended = mounted::succeeded(&argv, TRIED, None);
        let ended = ended.map_err(|error| mounted::refused_by_mkfs(contender, error))?;
        let text = ended.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
        Ok((!text.is_empty()).then(|| format!("`{}`: {} says: {text}", contender.label, argv[0])))
    }

    /// The options that the kernel shows when it is mounted with `words`, and its room.
    fn shown(&self, source: &str, point: &Path, words: &[&str]) -> Result<(String, RoomForFiles), LaneError> {
        let look_up = |error| LaneError::io("look up the mount of", point)(error);
        Mounting { source: source.to_owned(), options: words.join(",") }.mount_at(self.kind, point)?;
        let options = mountinfo::mount_of(point).map_err(look_up)?.all_options();
        let found = rustix::fs::statvfs(point).map_err(|errno| look_up(errno.into()))?;
        mounted::unmount(point)?;
        // Some file systems have no limit for files, and a tmpfs may have none for bytes.
        let files = (found.f_files > 0).then_some(found.f_ffree);
        let bytes = (found.f_blocks > 0).then_some(Bytes(found.f_bavail * found.f_frsize));
        Ok((options, RoomForFiles { bytes, files }))
    }

    /// Why it is not mounted: because of these words, if it is mounted without options.
    fn not_mounted(&self, error: LaneError, is_mounted_without: bool, words: &[&str]) -> LaneError {
        let LaneError::Mount { error, .. } = error else { return error };
        let (with, hint) = if is_mounted_without {
            let words: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
            (format!(" with {}", words.join(" and ")), "leave it out, or give it another value; `dmesg` may say why")
        } else {
            let why = "`dmesg` may say why; leave it out, or compare in a guest with another kernel: \
                       --guest-kernel PACKAGE";
            (String::new(), why)
        };
        LaneError::bad_option(self.contender, format!("this kernel does not mount it{with}: {error}"), hint)
    }

    /// Refuses a file system on which a workload does not fit; says if it has room for few files.
    fn room(&self, RoomForFiles { bytes, files }: RoomForFiles) -> Result<Option<String>, LaneError> {
        let Self { plan, contender, kind, .. } = self;
        // A smaller image says nothing.
        let is_as_large = kind.ground == Ground::Memory || self.size() == plan.lanes.size;
        let own = plan.workloads.iter().filter(|workload| plan.takes_part(&contender.label, &workload.name));
        for Workload { name, traits, .. } in own.filter(|_| is_as_large) {
            let (peak, least) = (traits.peak, traits.least_files);
            let too_large =
                bytes.filter(|free| *free < peak).map(|free| format!("{peak}, and with these options {free}"));
            let too_many = || {
                files.filter(|free| *free < least).map(|free| format!("{least} files, and with these options {free}"))
            };
            if let Some(needed) = too_large.or_else(too_many) {
                let what = format!("the workload `{name}` needs {needed} are free");
                return Err(LaneError::bad_option(contender, what, LEAVE));
            }
        }
        let few = files.filter(|files| *files < FEW_FILES);
        Ok(few.map(|files| format!("`{}` has room for {files} files", contender.label)))
    }
}

const LEAVE: &str = "leave it out, or give it another value";

/// What a file system has room for.
struct RoomForFiles {
    /// `None`: not limited.
    bytes: Option<Bytes>,
    /// `None`: as many as fit.
    files: Option<u64>,
}
