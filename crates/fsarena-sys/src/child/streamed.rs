//! The output of programs that is read while they run, and passed on to callers that need the time of each piece.

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::OwnedFd;
use std::process::Child;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, pidfd_open};

use super::{MOST_KEPT, Until};

/// Interval at which the stop flag is checked.
const LOOK: Timespec = Timespec { tv_sec: 0, tv_nsec: 5_000_000 };

/// Reads the output of a program until it has ended, the stop flag is set, or its time is over. Its end is noticed at
/// once (pidfd_open(2), since Linux 5.3).
pub(super) fn listen(
    child: &Child,
    streams: &mut [Pipe<'_>],
    deadline: Option<Instant>,
    stop: &AtomicBool,
) -> io::Result<Until> {
    let end = pidfd_open(Pid::from_child(child), PidfdFlags::empty())?;
    loop {
        let mut wanted = vec![PollFd::new(&end, PollFlags::IN)];
        wanted.extend(streams.iter().filter_map(|stream| Some(PollFd::new(stream.open.as_ref()?, PollFlags::IN))));
        match poll(&mut wanted, Some(&LOOK)) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        let has_ended = !wanted[0].revents().is_empty();
        streams.iter_mut().try_for_each(Pipe::drain)?;
        if has_ended {
            return Ok(Until::End);
        }
        if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return Ok(Until::TimeLimit);
        }
        if stop.load(Ordering::Relaxed) {
            return Ok(Until::Stop);
        }
    }
}

/// Gets each piece of a program's output.
pub type OutputListener<'a> = &'a mut dyn FnMut(&[u8]);

/// The reading end of a program's output.
pub(super) struct Pipe<'a> {
    /// `None` once no process can write to it any more.
    open: Option<File>,
    kept: Vec<u8>,
    heard: Option<OutputListener<'a>>,
}

impl<'a> Pipe<'a> {
    pub(super) fn new(end: Option<impl Into<OwnedFd>>, heard: Option<OutputListener<'a>>) -> io::Result<Self> {
        let open = end.map(|end| File::from(end.into()));
        if let Some(file) = &open {
            fcntl_setfl(file, fcntl_getfl(file)? | OFlags::NONBLOCK)?;
        }
        Ok(Self { open, kept: Vec::new(), heard })
    }

    /// Reads what is available. Bytes beyond `MOST_KEPT` are read, so that the program can go on, and discarded.
    pub(super) fn drain(&mut self) -> io::Result<()> {
        let mut piece = [0; 4096];
        while let Some(file) = &mut self.open {
            match file.read(&mut piece) {
                Ok(0) => self.open = None,
                Ok(length) => {
                    let room = MOST_KEPT as usize - self.kept.len();
                    self.kept.extend_from_slice(&piece[..length.min(room)]);
                    if let Some(heard) = &mut self.heard {
                        heard(&piece[..length]);
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    pub(super) fn text(self) -> String {
        String::from_utf8_lossy(&self.kept).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::{Ended, Setting, run_until};
    use super::*;

    /// Runs a script, which may wait for the file `$HEARD`: that is made when the first piece arrives.
    fn hear(script: &str, stop: &AtomicBool) -> (Option<Ended>, Vec<String>) {
        let folder = tempfile::tempdir().expect("temporary folder");
        let first = folder.path().join("heard");
        let variables = [("HEARD", first.display().to_string())];
        let setting = Setting { variables: &variables, ..Setting::new(Path::new("/"), folder.path(), stop) };
        let mut pieces = Vec::new();
        let mut heard = |piece: &[u8]| {
            pieces.push(String::from_utf8_lossy(piece).into_owned());
            std::fs::write(&first, "").expect("written");
            stop.store(piece == b"enough\n", Ordering::Relaxed);
        };
        let ended = run_until(&["sh", "-c", script], setting, Some(&mut heard)).expect("sh starts");
        (ended, pieces)
    }

    #[test]
    fn pieces_come_one_by_one_and_all_of_them() {
        let script = "echo one; until test -e $HEARD; do sleep 0.01; done; echo two; echo three >&2; exit 4";
        let (ended, pieces) = hear(script, &AtomicBool::new(false));
        let ended = ended.expect("it ends");
        assert_eq!(pieces, ["one\n", "two\n"]);
        assert_eq!((ended.status.code(), ended.words().as_str()), (Some(4), "three\none\ntwo"));
    }

    #[test]
    fn a_program_that_closes_its_output_is_waited_for() {
        let (ended, pieces) = hear("echo one; exec >&-; sleep 0.05; exit 3", &AtomicBool::new(false));
        assert_eq!((ended.expect("it ends").status.code(), pieces.len()), (Some(3), 1));
    }

    #[test]
    fn much_output_at_once_does_not_stop_it() {
        let (ended, _) = hear("head -c 300000 /dev/zero", &AtomicBool::new(false));
        assert_eq!(ended.expect("it ends").stdout.len(), 300_000);
    }

    #[test]
    fn it_is_stopped_with_all_that_it_has_started() {
        let (ended, pieces) = hear("echo enough; sleep 600; :", &AtomicBool::new(false));
        assert!(ended.is_none() && pieces == ["enough\n"]);
    }
}
