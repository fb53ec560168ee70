//! Programs whose output is passed on while they run, for callers that need the time of each piece.

use std::ffi::OsStr;
use std::io::{self, Read};
use std::process::{Child, Stdio};
use std::sync::atomic::Ordering;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, pidfd_open};

use super::{Ended, LOOK, MOST_KEPT, OutputFile, Setting, Until, reap, set};

/// Like [`super::run_until`], but passes each piece of the program's standard output to `heard` as soon as it arrives.
/// The program must not buffer its output, or be started without buffering (stdbuf(1)).
///
/// # Errors
/// As [`super::run_until`].
pub fn run_heard<S: AsRef<OsStr>>(
    argv: &[S],
    setting: Setting<'_>,
    heard: &mut dyn FnMut(&[u8]),
) -> io::Result<Option<Ended>> {
    let err = OutputFile::new(&setting, "stderr")?;
    let mut child = set(argv, &setting)?.stdout(Stdio::piped()).stderr(err.end()?).spawn()?;
    let mut kept = Vec::new();
    let until = listen(&mut child, setting, &mut |piece| {
        let room = MOST_KEPT as usize - kept.len();
        kept.extend_from_slice(&piece[..piece.len().min(room)]);
        heard(piece);
    });
    let (Until::End, status) = reap(child, until, setting.grace)? else { return Ok(None) };
    Ok(Some(Ended { status, stdout: String::from_utf8_lossy(&kept).into_owned(), stderr: err.text()? }))
}

/// Passes on the output until the child has ended, or the stop flag is set.
fn listen(child: &mut Child, setting: Setting<'_>, heard: &mut dyn FnMut(&[u8])) -> io::Result<Until> {
    let end = pidfd_open(Pid::from_child(child), PidfdFlags::empty())?;
    let mut pipe = child.stdout.take().expect("its output is a pipe");
    fcntl_setfl(&pipe, fcntl_getfl(&pipe)? | OFlags::NONBLOCK)?;
    let mut is_open = true;
    while !setting.stop.load(Ordering::Relaxed) {
        let mut wanted = [PollFd::new(&end, PollFlags::IN), PollFd::new(&pipe, PollFlags::IN)];
        // A closed pipe would always be ready.
        let wanted = if is_open { &mut wanted[..] } else { &mut wanted[..1] };
        match poll(wanted, Some(&LOOK)) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        let has_ended = !wanted[0].revents().is_empty();
        is_open = is_open && drain(&mut pipe, heard)?;
        if has_ended {
            return Ok(Until::End);
        }
    }
    Ok(Until::Stop)
}

/// Passes on what is available; false at the end of the file.
fn drain(pipe: &mut impl Read, heard: &mut dyn FnMut(&[u8])) -> io::Result<bool> {
    let mut piece = [0; 4096];
    loop {
        match pipe.read(&mut piece) {
            Ok(0) => return Ok(false),
            Ok(length) => heard(&piece[..length]),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(true),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;
    use std::sync::atomic::AtomicBool;
    use std::time::Duration;

    /// Runs a script, which may wait for the file `$HEARD`: that is made when the first piece arrives.
    fn hear(script: &str, stop: &AtomicBool) -> (Option<Ended>, Vec<String>) {
        let folder = tempfile::tempdir().expect("temporary folder");
        let first = folder.path().join("heard");
        let variables = [("HEARD", first.display().to_string())];
        let setting = Setting {
            directory: Path::new("/"),
            streams: folder.path(),
            variables: &variables,
            stop,
            grace: Duration::ZERO,
        };
        let mut pieces = Vec::new();
        let mut heard = |piece: &[u8]| {
            pieces.push(String::from_utf8_lossy(piece).into_owned());
            std::fs::write(&first, "").expect("written");
            stop.store(piece == b"enough\n", Ordering::Relaxed);
        };
        let ended = run_heard(&["sh", "-c", script], setting, &mut heard).expect("sh starts");
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
