//! What a step that failed, or was killed, has left in the cache.

use std::fs;
use std::path::Path;

/// The folders of the cache that hold what steps make, each with how deep that lies below it.
const FOLDERS: [(&str, u32); 2] = [("kernels", 0), ("roots", 1)];

/// Removes what is partial. To be called while no other process fills the cache.
pub fn remove(cache: &Path) {
    for (folder, depth) in FOLDERS {
        below(&cache.join(folder), depth);
    }
}

fn below(folder: &Path, depth: u32) {
    for entry in fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok) {
        let path = entry.path();
        if depth > 0 {
            below(&path, depth - 1);
        } else if is_partial(&entry.file_name().to_string_lossy()) {
            // What cannot be removed stays: the next start tries again.
            let _ = if path.is_dir() { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
        }
    }
}

fn is_partial(name: &str) -> bool {
    let extension = name.rsplit('.').next().unwrap_or_default();
    name.starts_with("tree-") || extension.starts_with("partial")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn partial_files_are_removed_and_the_rest_stays() {
        let cache = tempfile::tempdir().expect("a temporary folder");
        let names =
            ["kernels/linux 6.1.partial-7/boot/vmlinuz", "roots/6.1/tree-7/usr/bin/ls", "roots/6.1/root.partial"];
        let kept = ["kernels/linux 6.1/boot/vmlinuz", "roots/6.1/root.img", "apt/archives/partial/a.deb"];
        for name in names.into_iter().chain(kept) {
            let path = cache.path().join(name);
            fs::create_dir_all(path.parent().expect("a folder")).expect("made");
            fs::write(path, "").expect("written");
        }
        remove(cache.path());
        assert!(names.iter().all(|name| !cache.path().join(name).exists()));
        assert!(kept.iter().all(|name| cache.path().join(name).exists()));
        assert!(!cache.path().join("roots/6.1/tree-7").exists());
    }
}
