//! The installer behind `make compare` and `make apps`, with an apt-get that only records its calls; and what
//! `make install` installs.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::stage::{out, run};

/// A machine without any installed programs.
struct Machine {
    place: tempfile::TempDir,
}

/// Records its arguments, and the files that forbid services and clusters while it runs.
const APT_GET: &str = r#"echo "$@" >>"$INSTALL_ROOT/calls"
cat "$INSTALL_ROOT/usr/sbin/policy-rc.d" >"$INSTALL_ROOT/policy-then" 2>/dev/null
cat "$INSTALL_ROOT/etc/postgresql-common/createcluster.conf" >"$INSTALL_ROOT/settings-then" 2>/dev/null
test ! -e "$INSTALL_ROOT/enables" || touch "$INSTALL_ROOT/enabled/postgresql.service"
test ! -e "$INSTALL_ROOT/kills" || kill -KILL $PPID
test ! -e "$INSTALL_ROOT/broken""#;

/// Keeps track of enabled units.
const SYSTEMCTL: &str = r#"for unit; do :; done
case $1 in
    is-enabled) test -e "$INSTALL_ROOT/enabled/$unit" ;;
    disable) rm "$INSTALL_ROOT/enabled/$unit" ;;
esac"#;

impl Machine {
    fn new() -> Self {
        let machine = Self { place: tempfile::tempdir().expect("temporary folder") };
        machine.program("bin/apt-get", APT_GET);
        machine.program("bin/id", "echo 0");
        machine.program("bin/systemctl", SYSTEMCTL);
        machine.file("enabled/other.service", "");
        machine
    }

    fn path(&self, name: &str) -> PathBuf {
        self.place.path().join(name)
    }

    fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("it has one")).expect("made");
        fs::write(&path, text).expect("written");
        path
    }

    fn program(&self, name: &str, script: &str) {
        crate::stage::script(&self.path(name), script);
    }

    fn text(&self, name: &str) -> Option<String> {
        fs::read_to_string(self.path(name)).ok()
    }

    fn install(&self, pairs: &[&str]) -> Output {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scripts/install-missing");
        let path = format!("{}:/usr/bin:/bin", self.path("bin").display());
        let mut command = Command::new(script);
        command.args(pairs).env("PATH", path).env("INSTALL_ROOT", self.place.path());
        command.output().expect("it starts")
    }
}

const POLICY: &str = "usr/sbin/policy-rc.d";
const SETTINGS: &str = "etc/postgresql-common/createcluster.conf";
const NO_CLUSTER: &str = "# made by fsarena\ncreate_main_cluster = false\n";
const SERVICE: &str = "enabled/postgresql.service";

#[test]
fn missing_packages_are_installed_once_and_no_service_may_start_meanwhile() {
    let machine = Machine::new();
    let output = machine.install(&["sh:dash", "no-such-b:b", "no-such-a:a", "no-such-c:b"]);
    assert!(output.status.success(), "{output:?}");
    let calls = machine.text("calls").expect("it was called");
    assert!(calls.lines().next_back().expect("twice").ends_with(" --no-install-recommends a b"), "{calls}");
    assert!(machine.text("policy-then").expect("there").contains("exit 101"));
    assert_eq!(machine.text(POLICY), None, "it is gone");
    assert_eq!(machine.text(SETTINGS), None);
}

#[test]
fn where_nothing_is_missing_nothing_is_called() {
    let machine = Machine::new();
    machine.program("lib/15/bin/server", "");
    let server = format!("{}/*/bin/server:server", machine.path("lib").display());
    assert!(machine.install(&["sh:dash", &server]).status.success());
    assert_eq!(machine.text("calls"), None);
    let client = format!("{}/*/bin/client:client", machine.path("lib").display());
    assert!(machine.install(&["sh:dash", &client]).status.success());
    assert!(machine.text("calls").expect("called").ends_with("client\n"));
}

#[test]
fn after_a_failure_nothing_of_ours_is_left() {
    let machine = Machine::new();
    machine.file("broken", "");
    assert!(!machine.install(&["no-such-a:postgresql"]).status.success());
    assert!(machine.text("policy-then").expect("there").contains("exit 101"));
    assert_eq!((machine.text(POLICY), machine.text(SETTINGS)), (None, None));
}

#[test]
fn the_machines_settings_of_services_and_clusters_stay() {
    let machine = Machine::new();
    machine.file(POLICY, "the machine's own");
    machine.file(SETTINGS, "ssl = on");
    assert!(machine.install(&["no-such-a:postgresql"]).status.success());
    assert_eq!(machine.text("policy-then").as_deref(), Some("the machine's own"));
    assert_eq!(machine.text("settings-then").as_deref(), Some(NO_CLUSTER));
    assert_eq!(machine.text(POLICY).as_deref(), Some("the machine's own"));
    assert_eq!(machine.text(SETTINGS).as_deref(), Some("ssl = on"));
}

#[test]
fn a_service_that_was_not_enabled_is_disabled_again() {
    let machine = Machine::new();
    machine.file("enables", "");
    assert!(machine.install(&["no-such-a:postgresql"]).status.success());
    assert_eq!(machine.text(SERVICE), None);
    machine.file(SERVICE, "");
    assert!(machine.install(&["no-such-a:postgresql"]).status.success());
    assert!(machine.text(SERVICE).is_some(), "it was enabled before");
}

#[test]
fn leftovers_of_a_killed_run_are_removed_by_the_next_run() {
    let machine = Machine::new();
    machine.file("enables", "");
    let kills = machine.file("kills", "");
    machine.file(SETTINGS, "ssl = on");
    assert!(!machine.install(&["no-such-a:postgresql"]).status.success());
    assert!(machine.text(POLICY).is_some_and(|policy| policy.contains("# made by fsarena\n")));
    assert_eq!(machine.text(SETTINGS).as_deref(), Some(NO_CLUSTER));
    assert!(machine.text(SERVICE).is_some());
    fs::remove_file(kills).expect("there");
    assert!(machine.install(&["sh:dash"]).status.success(), "nothing is missing now");
    assert_eq!((machine.text(POLICY), machine.text(SERVICE)), (None, None));
    assert_eq!(machine.text(SETTINGS).as_deref(), Some("ssl = on"));
    assert!(machine.text("enabled/other.service").is_some());
}

#[test]
fn an_original_that_was_saved_is_never_overwritten() {
    let machine = Machine::new();
    let saved = format!("{SETTINGS}.fsarena");
    machine.file(SETTINGS, "ssl = on");
    machine.file(&saved, "ssl = off");
    let output = machine.install(&["no-such-a:postgresql"]);
    assert!(
        !output.status.success() && String::from_utf8_lossy(&output.stderr).contains("hint: keep one"),
        "{output:?}"
    );
    assert_eq!((machine.text("calls"), machine.text(POLICY)), (None, None));
    assert_eq!(
        (machine.text(SETTINGS).as_deref(), machine.text(&saved).as_deref()),
        (Some("ssl = on"), Some("ssl = off"))
    );
}

#[test]
fn without_root_the_command_is_printed() {
    let machine = Machine::new();
    machine.program("bin/id", "echo 1000");
    let output = machine.install(&["no-such-b:b", "no-such-a:a"]);
    let words = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success() && words.contains("hint: sudo apt-get install a b"), "{words}");
    assert_eq!(machine.text("calls"), None);
}

#[test]
fn the_binary_is_installed_with_completions_and_a_manual_page() {
    let place = tempfile::tempdir().expect("temporary folder");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scripts/install-files");
    run(Command::new(script).args([crate::stage::binary(), crate::stage::binary(), place.path()]), 0);
    run(Command::new(place.path().join("bin/fsarena")).arg("--version"), 0);
    let share = place.path().join("share");
    let names = [
        "bash-completion/completions/fsarena",
        "fish/vendor_completions.d/fsarena.fish",
        "zsh/site-functions/_fsarena",
    ];
    for name in names {
        let text = fs::read_to_string(share.join(name)).expect(name);
        assert!(text.contains("fsarena") && text.contains("COMPLETE"), "{name}: {text}");
    }
    let manual = out(&run(Command::new("gzip").arg("-dc").arg(share.join("man/man1/fsarena.1.gz")), 0));
    for section in [".TH fsarena 1", ".SH \"FSARENA COMPARE\"", ".SH \"FSARENA REPRODUCE\"", "\\-\\-workload"] {
        assert!(manual.contains(section), "{section}");
    }
}
