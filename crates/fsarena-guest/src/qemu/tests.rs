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
    let readers = vec![thread::spawn(move || keep(output, &kept))];
    drop(command);
    Running { qemu, stream: host, console, readers, silence, monitor: None }
}

#[test]
fn a_guest_that_hangs_is_ended_with_its_last_words() {
    let usual = "[   12.3] operation not supported error, dev loop1000, sector 8 op 0x9:(WRITE_ZEROES) flags 0x8000800";
    let running = guest(&format!("echo 'Kernel panic'; echo '{usual}'; exec sleep 1000"));
    let process = running.qemu.id();
    assert!(!running.answers());
    let error = running.failed("did not start its agent").to_string();
    let expected = "the guest did not start its agent: it has been silent for 0 s; its last words were:\nKernel panic";
    assert_eq!(error, expected);
    assert!(!Path::new(&format!("/proc/{process}")).exists());
}

#[test]
fn a_guest_whose_qemu_fails_says_how_it_ended() {
    let running = guest("echo 'could not load the kernel'; exit 1");
    let error = running.failed("stopped before the run ended").to_string();
    assert!(error.contains("QEMU ended with exit status: 1; its last words were:\ncould not load"), "{error}");
}
