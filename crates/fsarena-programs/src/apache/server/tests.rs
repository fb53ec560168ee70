//! Tests with real servers.

use super::*;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};

fn place() -> tempfile::TempDir {
    let place = tempfile::tempdir().expect("temporary folder");
    fs::set_permissions(place.path(), PermissionsExt::from_mode(0o711)).expect("changed");
    place
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
