//! Tests with real servers.

use super::*;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};

fn place() -> tempfile::TempDir {
    let place = tempfile::tempdir().expect("temporary folder");
    fs::set_permissions(place.path(), PermissionsExt::from_mode(0o711)).expect("changed");
    place
}

/// Number of processes whose command line names `folder`.
fn processes_of(folder: &Path) -> usize {
    let words = |entry: fs::DirEntry| fs::read(entry.path().join("cmdline")).unwrap_or_default();
    let processes = fs::read_dir("/proc").expect("there").flatten().map(words);
    processes.filter(|words| String::from_utf8_lossy(words).contains(&folder.display().to_string())).count()
}

#[test]
fn a_server_is_started_and_stopped_and_its_port_is_closed() {
    let place = place();
    let mut server = Httpd::at(place.path()).expect("placed");
    server.install().expect("made");
    for _ in 0..2 {
        server.start(&fsarena_engine::NEVER).expect("starts");
        let address = server.address();
        assert!(std::net::TcpStream::connect(address).is_ok());
        assert!(processes_of(server.lane.run.path()) > 0);
        server.finish(&fsarena_engine::NEVER).expect("ends");
        // Another process may use its port by now.
        assert_eq!(processes_of(server.lane.run.path()), 0);
    }
    server.require_logged(0, &fsarena_engine::NEVER).expect("no request was made");
}

#[test]
fn its_user_cannot_put_anything_where_we_write() {
    let place = place();
    let mut server = Httpd::at(place.path()).expect("placed");
    server.install().expect("made");
    server.start(&fsarena_engine::NEVER).expect("starts");
    let run = server.lane.run.path();
    let facts =
        |path: &Path| fs::symlink_metadata(path).map(|known| (known.uid(), known.mode() & 0o022)).expect("there");
    let own = rustix::process::geteuid().as_raw();
    for path in [run, &run.join("httpd.conf"), &run.join("mime.types"), &server.lane.data, &server.pages()] {
        assert_eq!(facts(path), (own, 0), "{}", path.display());
    }
    assert_eq!(facts(&server.access_log()), facts(&run.join("log")), "both are the server's to write");
}

#[test]
fn a_port_that_is_taken_is_known_as_such() {
    let place = place();
    let mut server = Httpd::at(place.path()).expect("placed");
    server.install().expect("made");
    let other = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
    let error =
        server.start_at(other.local_addr().expect("bound").port(), &fsarena_engine::NEVER).expect_err("it is taken");
    assert!(is_taken(&error), "{error}");
}
