//! Tests of layers.

use super::*;

fn contender(text: &str) -> Contender {
    text.parse().expect("a well-spelled contender")
}

fn made(text: &str, how: Raise) -> String {
    let contender = contender(text);
    let [device, key] = ["/dev/loop1000", "/run/key"].map(Path::new);
    let stack = StackPlace { device, name: "t_0", number: 1000, uuid: "u", key };
    let layer = &contender.layers[0];
    let kind = known(&layer.name).expect("a layer");
    let site = Site {
        below: "/dev/loop1000".to_owned(),
        size: 256 << 20,
        name: "fsarena_t_0_0".to_owned(),
        stack: &stack,
        kind,
        options: &layer.options,
    };
    let commands = if how == Raise::Create { (kind.create)(&site) } else { (kind.open)(&site) };
    let lines: Vec<String> = commands.iter().map(|argv| argv.join(" ")).collect();
    lines.join("\n") + "\n" + &(kind.device)(&site)
}

#[test]
fn names_are_unique_and_defaults_are_values() {
    for wanted in LAYERS {
        assert_eq!(LAYERS.iter().filter(|kind| kind.name == wanted.name).count(), 1);
        assert!(wanted.options.iter().all(|(_, values)| values.len() > 1));
        assert!((wanted.needs)(1 << 30) > 1 << 30, "{} needs room of its own", wanted.name);
    }
}

#[test]
fn commands_name_the_lane_alone() {
    let all = LAYERS.iter().map(|kind| format!("ext4@{}", kind.name));
    for text in all {
        for how in [Raise::Create, Raise::Open] {
            let made = made(&text, how);
            let devices = made.split(|it: char| it.is_whitespace() || "=\"|^$".contains(it));
            let mut devices = devices.filter(|word| word.starts_with("/dev/"));
            let is_own =
                |word: &str| ["/dev/loop1000", "/dev/md1000"].contains(&word) || word.contains("/fsarena_t_0_0");
            assert!(devices.clone().count() > 0 && devices.all(is_own), "{made}");
        }
    }
}

#[test]
fn options_reach_the_commands() {
    let luks = made("ext4@luks,sector=512,key-size=256,workqueues=no", Raise::Create);
    assert!(luks.contains("--sector-size 512") && luks.contains("--key-size 256"), "{luks}");
    assert!(luks.contains("--perf-no_write_workqueue"), "{luks}");
    assert!(!made("ext4@luks", Raise::Create).contains("workqueue"));
    assert!(made("ext4@lvm-thin,chunk=1m", Raise::Create).contains("--chunksize 1m"));
    assert!(made("ext4@raid1,bitmap=none", Raise::Create).contains("--bitmap=none"));
    let again = made("ext4@raid1", Raise::Create);
    let (erased, mapped) = (again.rfind("blkdiscard").expect("erased"), again.find("dmsetup").expect("mapped"));
    assert!(erased < mapped, "udev starts an array of which a half is still there: {again}");
    let opened = made("ext4@integrity,mode=bitmap", Raise::Open);
    assert!(opened.contains("--integrity-bitmap-mode") && !opened.contains("format"), "{opened}");
}

#[test]
fn the_guide_has_all_options() {
    let guide = include_str!("../../../../docs/guides/layers.md");
    let row = |layer: &str, (option, values): &(&str, &[&str])| {
        format!("| `{layer}` | `{option}` | `{}` |", values.join("`, `"))
    };
    for kind in LAYERS {
        assert!(kind.options.iter().all(|option| guide.contains(&row(kind.name, option))), "{}", kind.name);
        assert!(guide.contains(&format!("| `{}` | ", kind.name)), "{}", kind.name);
    }
}

#[test]
fn unknown_layers_and_options_are_refused_with_those_that_are_known() {
    let refused = |text: &str| {
        let error = require_known(&contender(text)).expect_err(text);
        let hint = fsarena_model::Explained::hint(&error).unwrap_or_default();
        format!("{error}; {hint}")
    };
    assert!(refused("ext4@lusk").starts_with("there is no layer `lusk`; did you mean `luks`?"));
    assert!(refused("ext4@zzz").ends_with("the layers are luks, lvm, lvm-thin, raid1, integrity"));
    assert!(refused("ext4@luks+luks").contains("it has the layer `luks` twice"));
    assert!(refused("ext4@luks,device=sda").contains("the layer `luks` has no option `device`"));
    assert!(refused("ext4@luks,sector=1").contains("its values are 4096, 2048, 1024, 512"));
    assert!(refused("ext4@luks,sector=512,sector=4096").ends_with("; name it once"));
    for joined in ["ext4@linux-6.12+luks", "ext4@luks+linux-6.12", "ext4@luks@linux-6.12", "ext4@linux-6.12@luks"] {
        assert!(refused(joined).ends_with(": ext4@luks,linux-6.12"), "{joined}");
    }
    assert!(refused("ext4@lvm+luks+./linux.deb").ends_with(": ext4@lvm+luks,./linux.deb"));
    require_known(&contender("ext4@linux-image-6.12.9+deb12-amd64")).expect("a kernel");
    require_known(&contender("btrfs@luks,sector=512+lvm")).expect("known");
}

#[test]
fn a_pool_is_on_no_device_that_zpool_divides() {
    let error = require_whole(&contender("zfs@raid1+luks")).expect_err("an array");
    assert!(error.to_string().contains("the layer `raid1`"), "{error}");
    let hint = fsarena_model::Explained::hint(&error).unwrap_or_default();
    assert!(hint.ends_with("zfs@lvm+raid1"), "{hint}");
    ["zfs", "zfs@lvm+raid1"].into_iter().for_each(|text| require_whole(&contender(text)).expect("whole"));
}

#[test]
fn a_lane_has_room_for_what_layers_need() {
    let below = |text: &str| below(&contender(text), Bytes::mib(100));
    assert_eq!(below("ext4"), Bytes::mib(100));
    assert_eq!(below("ext4@luks"), Bytes::mib(116));
    assert!(below("ext4@raid1") >= Bytes::mib(200));
    assert!(below("ext4@luks+raid1") > below("ext4@raid1"));
}
