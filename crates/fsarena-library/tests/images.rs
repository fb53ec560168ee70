//! The libraries on real images, which e2fsprogs makes and checks, and a directory of the kernel for comparison. No
//! root is needed.

use std::path::{Path, PathBuf};
use std::process::Command;

use fsarena_library::{Contents, DirectoryEntry, FileSystem, Kernel, LibraryError, Names, Preview, Rsext4, Synced};

const MIB: u64 = 1 << 20;

fn image(place: &Path, more: &[&str]) -> PathBuf {
    let path = place.join("image");
    std::fs::File::create(&path).and_then(|file| file.set_len(64 * MIB)).expect("there is room");
    let options = "lazy_itable_init=0,lazy_journal_init=0,nodiscard";
    let mut made = Command::new("mke2fs");
    made.args(["-q", "-F", "-t", "ext4", "-b", "4096", "-E", options]).args(more).arg(&path);
    assert!(made.status().expect("e2fsprogs are installed").success());
    path
}

fn checked(image: &Path) {
    let found = Command::new("e2fsck").arg("-fn").arg(image).output().expect("it starts");
    assert!(found.status.success(), "{}", String::from_utf8_lossy(&found.stdout));
}

fn contents(salt: u8, length: usize) -> Vec<u8> {
    (0..length).map(|at| (at as u64).wrapping_mul(2_654_435_761).to_le_bytes()[2] ^ salt).collect()
}

/// Calls each function of [`FileSystem`] that changes something. [`reads`] reads the result.
fn works<F: FileSystem>(system: &mut F) -> Result<(), LibraryError> {
    system.make_directory("a")?;
    system.make_directory("b")?;
    for number in 0..20 {
        let mut file = system.create(&format!("a/f{number}"))?;
        system.write_at(&mut file, 0, &contents(number, 10_000))?;
    }
    system.append("a/f3", &contents(99, 500))?;
    let mut large = system.create("b/large")?;
    (0..4).try_for_each(|piece| system.write_at(&mut large, piece * MIB, &contents(piece as u8, MIB as usize)))?;
    let mut again = system.open("b/large")?;
    system.write_at(&mut again, MIB - 1000, &contents(7, 2000))?;
    system.rename("a/f4", "a/other")?;
    system.remove_file("a/f5")?;
    system.make_directory("b/c")?;
    system.remove_directory("b/c")?;
    system.set_attributes("a/f6", 0o640, 1_000_000_000)
}

fn reads<F: FileSystem>(system: &mut F) -> Result<(), LibraryError> {
    let mut names = system.list("a")?;
    names.sort();
    let mut wanted: Vec<String> = (0..20).filter(|number| ![4, 5].contains(number)).map(|n| format!("f{n}")).collect();
    wanted.push("other".to_owned());
    wanted.sort();
    assert_eq!(names, wanted.into_iter().map(|name| (name, DirectoryEntry::File)).collect::<Vec<_>>());
    assert_eq!((system.size("a/f3")?, system.size("b/large")?), (10_500, 4 * MIB));
    let mut file = system.open("a/other")?;
    let mut memory = vec![0; 20_000];
    let length = system.read_at(&mut file, 0, &mut memory)?;
    assert!(length == 10_000 && memory[..length] == contents(4, 10_000), "no more than there is");
    let mut large = system.open("b/large")?;
    let read = system.read_at(&mut large, MIB - 1000, &mut memory[..2000])?;
    assert!(read == 2000 && memory[..2000] == contents(7, 2000));
    Ok(())
}

#[test]
fn rsext4_syncs_with_a_flush_and_leaves_a_clean_image() {
    let place = tempfile::tempdir().expect("temporary folder");
    let image = image(place.path(), &[]);
    let mut system = Rsext4::mount(&image, "work").expect("mounted");
    works(&mut system).expect("done");
    let before = system.traffic().expect("it counts");
    assert_eq!(system.sync().expect("synced"), Synced::OnDevice);
    let after = system.traffic().expect("it counts");
    assert!(after.flushes > before.flushes && after.written > 4 * MIB, "{before:?} {after:?}");
    reads(&mut system).expect("as it was written");
    let last = system.unmount().expect("unmounted").expect("it counts");
    assert!(last.written - after.written < MIB, "data went to the device before: {after:?} {last:?}");
    checked(&image);
    let mut system = Rsext4::mount(&image, "work").expect("mounted again, in the same directory");
    reads(&mut system).expect("as it was written");
    system.unmount().expect("unmounted");
}

#[test]
fn the_preview_owes_its_data_until_it_is_unmounted() {
    let place = tempfile::tempdir().expect("temporary folder");
    let image = image(place.path(), &["-O", "^metadata_csum,^has_journal"]);
    let mut system = Preview::mount(&image, "work").expect("mounted");
    works(&mut system).expect("done");
    assert_eq!(system.sync().expect("nothing is refused"), Synced::NotAtAll);
    let before = system.traffic().expect("it counts");
    assert!(before.flushes == 0 && before.written < MIB, "{before:?}");
    reads(&mut system).expect("as it was written");
    let last = system.unmount().expect("unmounted").expect("it counts");
    assert!(last.written - before.written > 4 * MIB, "{before:?} {last:?}");
    checked(&image);
    let mut system = Preview::mount(&image, "work").expect("mounted again");
    reads(&mut system).expect("as it was written");
}

#[test]
fn a_directory_of_the_kernels_does_the_same() {
    let place = tempfile::tempdir().expect("temporary folder");
    let mut system = Kernel::mount(place.path(), "").expect("opened");
    works(&mut system).expect("done");
    assert_eq!(system.sync().expect("synced"), Synced::OnDevice);
    reads(&mut system).expect("as it was written");
    assert!(place.path().join("a/f6").exists());
}

#[test]
fn refusals_say_who_refused_what() {
    let place = tempfile::tempdir().expect("temporary folder");
    let image = image(place.path(), &[]);
    let mut system = Rsext4::mount(&image, "work").expect("mounted");
    let error = system.open("nothing").expect_err("it is not there").to_string();
    assert_eq!(error, "open nothing: rsext4 says: entry was not found");
    system.make_directory("a").expect("made");
    let error = system.make_directory("a").expect_err("it is there").to_string();
    assert!(error.starts_with("mkdir a: rsext4 says: entry already exists"), "{error}");
    system.unmount().expect("unmounted");

    let not_one = place.path().join("empty");
    std::fs::write(&not_one, [0; 8192]).expect("ours");
    let error = Rsext4::mount(&not_one, "work").err().expect("no file system").to_string();
    assert!(error.starts_with("mount: rsext4 says: "), "{error}");
    let error = Kernel::mount(place.path(), "").expect("opened").open("nothing").expect_err("not there").to_string();
    assert!(error.starts_with("open nothing: No such file"), "{error}");
}
