use fsarena_model::{ErrorCategory, Explained};

use super::*;

#[test]
fn a_program_that_mounts_nothing_is_noticed_whatever_it_says() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mounting = Mounting { source: "host:/folder".to_owned(), options: "ro".to_owned() };
    let sshfs = crate::kind::kind("sshfs").expect("it exists");
    let error = |program| {
        let kind = Kind { mounter: Some(program), ..*sshfs };
        mounting.mount_at(&kind, folder.path()).expect_err("nothing is mounted")
    };
    assert!(matches!(error("true"), LaneError::WrongMount { .. }));
    let failed = error("false");
    assert!(matches!(failed, LaneError::Program { .. }));
    assert!(failed.to_string().starts_with("`false host:/folder /"), "{failed}");
}

#[test]
fn a_mount_of_another_type_or_source_is_an_error() {
    let ext4 = crate::kind::kind("ext4").expect("it exists");
    let error = verify(ext4, "/dev/loop1000", Path::new("/proc")).expect_err("that is proc");
    assert!(matches!(error, LaneError::WrongMount { .. }), "{error}");
    assert!(error.to_string().starts_with("`/proc` should be ext4 from /dev/loop1000, and is proc from "), "{error}");
}

#[test]
fn only_options_that_were_not_tried_before_make_a_failed_mkfs_a_wrong_use() {
    for (typed, category) in [
        ("zfs:copies=4", ErrorCategory::Use),
        ("zfs -o feature@foo=enabled", ErrorCategory::Use),
        ("zfs", ErrorCategory::Trial),
        ("ext4 -m 1", ErrorCategory::Trial),
    ] {
        let contender: Contender = typed.parse().expect("well spelled");
        let kind = crate::kind::kind(&contender.kind).expect("it exists");
        let failed = LaneError::Program { command: "mkfs".to_owned(), words: "no".to_owned(), hint: None };
        assert_eq!(of_untried(&contender, kind, failed).category(), category, "{typed}");
    }
}

#[test]
fn an_mkfs_that_fails_says_why_without_listing_its_options() {
    let contender = "ext4 -E stride=x".parse().expect("well spelled");
    let ext4 = crate::kind::kind("ext4").expect("it exists");
    let error = try_mkfs(&contender, ext4, Bytes::mib(64)).expect_err("that is no number").to_string();
    assert!(error.ends_with("`mke2fs -E stride=x` fails: Invalid stride parameter: x"), "{error}");
}

#[test]
fn a_program_that_crashes_is_called_once_more_and_a_second_crash_is_told() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mark = folder.path().join("mark").display().to_string();
    let crash = "ulimit -c 0; kill -SEGV $$";
    let call = |script: &str| {
        let argv = ["sh", "-c", script, &mark].map(str::to_owned);
        succeeded(&argv, TRIED, None).map_err(|error| error.to_string())
    };
    assert!(call(&format!("test -e \"$0\" && exit 0; touch \"$0\"; {crash}")).is_ok());
    let error = call(crash).expect_err("it crashes always");
    assert!(error.ends_with("failed: signal: 11 (SIGSEGV)"), "{error}");
    let error = call("exit 3").expect_err("it fails");
    assert!(error.ends_with("failed: exit status: 3"), "{error}");
}
