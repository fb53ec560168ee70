use std::io::Read;
use std::os::unix::net::UnixStream;
use std::process::{Command, Stdio};
use std::sync::atomic::AtomicBool;

use fsarena_model::{ErrorCategory, Explained};

use super::console::locked;
use super::*;

/// A guest whose QEMU is this shell command, and which may be silent for some milliseconds.
fn guest(script: &str) -> Running {
    let (host, theirs) = UnixStream::pair().expect("a socket pair");
    let silence = Duration::from_millis(20);
    host.set_read_timeout(Some(silence)).expect("a time limit");
    let mut command = Command::new("sh");
    command.args(["-c", script]).stdin(Stdio::from(OwnedFd::from(theirs)));
    let mut qemu = command.stdout(Stdio::piped()).spawn().expect("there is a shell");
    let console = Arc::new(Mutex::new(Console::default()));
    let (kept, output) = (Arc::clone(&console), qemu.stdout.take().expect("piped"));
    let host = Arc::new(host);
    let agent = Arc::clone(&host);
    let reader = Some(thread::spawn(move || keep(output, &kept, &agent)));
    drop(command);
    let (accelerator, has_arguments) = (Accelerator::Emulated, false);
    let (stream, monitor, crash_before) = (host, None, None);
    Running { qemu, stream, console, reader, silence, monitor, accelerator, has_arguments, crash_before }
}

#[test]
fn a_guest_that_hangs_is_ended_with_its_last_words() {
    let usual = "[   12.3] operation not supported error, dev loop1000, sector 8 op 0x9:(WRITE_ZEROES) flags 0x8000800";
    let mut running = guest(&format!("echo 'Kernel panic'; echo '{usual}'; exec sleep 1000"));
    let process = running.qemu.id();
    assert!(!running.answers(&AtomicBool::new(false)));
    let error = running.explained("did not start its agent").to_string();
    let expected = "the guest did not start its agent: it has been silent for 0 s; its last words were:\nKernel panic";
    assert_eq!(error, expected);
    assert!(!Path::new(&format!("/proc/{process}")).exists());
}

#[test]
fn a_guest_whose_qemu_fails_says_how_it_ended() {
    let mut running = guest("echo 'could not load the kernel'; exit 1");
    let error = running.explained("stopped before the run ended").to_string();
    assert!(error.contains("QEMU ended with exit status: 1; its last words were:\ncould not load"), "{error}");
}

#[test]
fn the_hint_names_what_has_ended_the_guest() {
    let code = |category| match category {
        ErrorCategory::Use => 2,
        ErrorCategory::Trial => 3,
        ErrorCategory::Machine => 4,
    };
    let ended = |script: &str, change: fn(&mut Running)| {
        let mut running = guest(script);
        change(&mut running);
        let error = running.explained("did not start its agent");
        (code(error.category()), error.hint().expect("a way out"))
    };
    let is = |found: (u8, String), code: u8, hint: &str| {
        assert_eq!(found.0, code, "{}", found.1);
        assert!(found.1.contains(hint), "{}", found.1);
    };
    is(ended("kill -ABRT $$", |running| running.accelerator = Accelerator::Kvm), 4, "--guest emulated");
    is(ended("echo '-foo: invalid option'; exit 1", |running| running.has_arguments = true), 2, "--qemu");
    is(ended("exit 1", |_| ()), 3, "--guest-memory");
    // The run had begun: it is not KVM that does not work.
    let killed = |running: &mut Running| {
        running.accelerator = Accelerator::Kvm;
        locked(&running.console).booted();
    };
    is(ended("kill -KILL $$", killed), 3, "a smaller --lane-size or --guest-memory");
}

#[test]
fn a_kernel_with_a_task_that_never_runs_again_has_hung() {
    let line =
        |seconds| format!("[  724.1] INFO: task jbd2/loop1000-8:2484 blocked for more than {seconds} seconds.\n");
    let console = Mutex::new(Console::default());
    let (host, agent) = UnixStream::pair().expect("a pair");
    keep(line(120).as_bytes(), &console, &host);
    (&agent).write_all(b"x").expect("connected");
    assert!(matches!((&host).read(&mut [0; 1]), Ok(1)), "a slow disk is none");
    keep(line(241).as_bytes(), &console, &host);
    assert!(matches!((&host).read(&mut [0; 1]), Ok(0)));

    let error = guest(&format!("echo '{}'; exec sleep 1000", line(241))).explained("stopped").to_string();
    let expected = "the guest stopped: its kernel has hung, task jbd2/loop1000-8:2484 has not run for 240 s";
    assert!(error.starts_with(expected), "{error}");
}

#[test]
fn a_kernel_that_panics_stops_the_run_at_once() {
    let oops = "[  632.1] general protection fault: 0000 [#1] PREEMPT SMP\n[  632.2] RIP: 0010:f+0x1/0x2 [zfs]\n\
                [  632.3] Code: 90 90\n[  632.3] RSP: 0018:ffffc900 EFLAGS: 00000286\n\
                [  632.3] RAX: 0 RBX: 1 RCX: 2\n[  632.4] Call Trace:\n[  632.5]  g+0x1/0x2 [zfs]\n\
                [  632.6] Kernel panic - not syncing: Fatal exception\n[  632.7] Kernel Offset: disabled\n";
    let console = Mutex::new(Console::default());
    let (host, agent) = UnixStream::pair().expect("a pair");
    keep(oops.as_bytes(), &console, &host);
    assert!(matches!((&agent).read(&mut [0; 1]), Ok(0)));
    // With `panic=-1`, it has the machine reset, and QEMU ends well.
    for end in ["exec sleep 1000", "exit 0"] {
        let error = guest(&format!("printf '{oops}'; {end}")).explained("stopped").to_string();
        let words: Vec<&str> = error.lines().map(|line| line.trim_start_matches(|it| it != ']')).collect();
        let begin = "the guest stopped: its kernel panicked: Fatal exception; its last words were:\n";
        assert!(error.starts_with(begin), "{error}");
        let expected = ["general protection", "RIP: 0010:f", "Call Trace:", " g+0x1", "Kernel panic"];
        assert!(words[1..].iter().zip(expected).all(|(word, expected)| word[2..].starts_with(expected)), "{error}");
        assert_eq!(words.len(), 6);
    }
}

#[test]
fn a_kernel_has_crashed_if_it_panicked_or_reset_the_machine() {
    let crash = |script: &str| guest(script).crash();
    assert_eq!(crash("echo '[ 1.5] Kernel panic - not syncing: x'; exit 0").as_deref(), Some("x"));
    assert_eq!(crash("echo '[ 1.5] Call Trace:'; exit 0").as_deref(), Some("the machine was reset"));
    assert_eq!(crash("echo 'fsarena: mount f'; echo '[ 1.5] reboot: Power down'; exit 0"), None);
    assert_eq!(crash("exit 1"), None);
    assert_eq!(crash("exec sleep 1000"), None);
}

/// The trace of the panic itself may be longer than what is shown.
#[test]
fn the_last_words_of_a_kernel_end_with_the_reason_of_its_panic() {
    let trace = "echo '[ 1.5] Call Trace:'; for i in $(seq 40); do echo \"[ 1.5]  f$i+0x1/0x2\"; done";
    let panic = "echo '[ 1.5] BUG: x'; echo '[ 1.5] Kernel panic - not syncing: Attempted to kill init!'";
    let of = |script: String| guest(&format!("{script}; exit 0")).explained("stopped").to_string();
    let own = of(format!("{panic}; {trace}"));
    assert!(own.contains(":\n[ 1.5] BUG: x\n[ 1.5] Kernel panic") && own.contains(" f20+0x1"), "{own}");
    let oops = of(format!("{trace}; {panic}; {trace}"));
    assert!(oops.ends_with(" f40+0x1/0x2\n[ 1.5] BUG: x\n[ 1.5] Kernel panic - not syncing: Attempted to kill init!"));
}
