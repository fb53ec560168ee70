//! Measurements of real lanes and of the file systems on them.

use std::fs;
use std::io::Read;
use std::path::Path;

use fsarena_lane::{Go, reread};
use fsarena_model::{Bytes, Guarantee, Nanos};
use fsarena_sys::{mountinfo, resident};

use super::ground;

#[test]
fn the_spare_lane_tells_what_its_flushes_and_repeated_reads_are() {
    let Some(ground) = ground() else { return };
    let lane_set = ground.lane_set(&["ext4"], 128);
    let flushes = lane_set.flushes().expect("flushed");
    assert!((2..=4).contains(&flushes.len()) && flushes[0].written == Bytes::kib(4), "{flushes:?}");
    assert!(flushes.iter().all(|after| after.flush > Nanos(0)), "{flushes:?}");
    let reads = lane_set.repeated_reads().expect("read").expect("a lane is large enough");
    assert!(reads.fresh > 0.0 && reads.repeated > 0.0, "{reads:?}");
    lane_set.close().expect("nothing stays");
    let lane_set = ground.lane_set(&["tmpfs"], 128);
    assert_eq!((lane_set.flushes().expect("no lane"), lane_set.repeated_reads().expect("no lane")), (Vec::new(), None));
    lane_set.close().expect("nothing stays");
}

#[test]
fn nothing_of_a_lane_is_cached_when_it_is_mounted() {
    const PART: u64 = 1 << 20;
    let Some(ground) = ground() else { return };
    let mut lane_set = ground.lane_set(&["ext4"], 64);
    let device = ground
        .devices()
        .into_iter()
        .find(|device| fs::read_to_string(device.join("loop/backing_file")).is_ok_and(|file| file.contains("lane-0")));
    let device = Path::new("/dev").join(device.expect("a lane").file_name().expect("a name"));
    let mut cached = vec![0; PART as usize];
    fs::File::open(&device).and_then(|mut device| device.read_exact(&mut cached)).expect("read");
    let pages = || resident::pages(&fs::File::open(&device).expect("opens"), PART).expect("known");
    assert!(pages() > 200, "or this test shows nothing");
    lane_set.make(0, Some(0), 1).expect("made");
    assert!(pages() < 50, "{}", pages());
    lane_set.close().expect("nothing stays");
}

#[test]
fn file_systems_that_do_direct_io_say_its_alignment() {
    let Some(ground) = ground() else { return };
    let contenders = ["ext4", "xfs", "btrfs", "tmpfs", "ext4:data=journal"];
    let mut lane_set = ground.lane_set(&contenders, 320);
    let mut says = Vec::new();
    let mut lane = 0..;
    for (index, contender) in contenders.into_iter().enumerate() {
        let lane = if contender == "tmpfs" { None } else { lane.next() };
        let (place, facts) = lane_set.make(index, lane, 1).expect("made");
        assert!(!place.directory.join(".fsarena-alignment").exists());
        says.push(facts.says_alignment);
        assert_eq!(facts.guarantees.contains(&Guarantee::DataJournal), contender == "ext4:data=journal", "{facts:?}");
    }
    lane_set.close().expect("nothing stays");
    let expected = [Some(true), Some(true), Some(false), Some(false), Some(false)];
    assert_eq!(says, expected, "{contenders:?}");
}

#[test]
fn all_lanes_are_preconditioned_until_the_rule_is_met() {
    let Some(ground) = ground() else { return };
    let lane_set = ground.lane_set(&["ext4", "ext2"], 32);
    let mut heard = Vec::new();
    let mut telling = |text: &str| {
        heard.push(text.to_owned());
        Go::On
    };
    let goes_on = |rates: &[f64]| if rates.len() < 2 { Go::On } else { Go::Stop };
    let rates = lane_set.precondition(&mut telling, &goes_on).expect("written").expect("there are lanes");
    assert!(rates.len() == 2 && rates.iter().all(|rate| *rate > 0.0), "{rates:?}");
    assert!(
        heard.iter().any(|text| text.contains("lane 3 of 3, pass 2 of 2")),
        "the calibration device, too: {heard:?}"
    );
    lane_set.close().expect("nothing stays");
    let lane_set = ground.lane_set(&["tmpfs"], 32);
    assert_eq!(lane_set.precondition(&mut |_| Go::On, &|_| Go::On).expect("no lanes"), None);
    lane_set.close().expect("nothing stays");
}

/// With data=journal the kernel serves direct reads from its page cache, which then acts as a cache below the file. The
/// other reads are of the same disk, so other load makes both slower.
#[test]
fn a_cache_below_is_found_where_there_is_one() {
    let Some(ground) = ground() else { return };
    let size = Bytes::mib(96);
    let mut lane_set = ground.lane_set(&["ext4:data=journal", "ext4"], 320);
    let mut factor = |index: usize| {
        let (place, _) = lane_set.make(index, Some(index), 1).expect("made");
        fs::write(place.directory.join("data"), vec![7; size.0 as usize]).expect("written");
        let place = lane_set.remount(index).expect("it can").expect("it is on a lane").place;
        let reads = reread::repeated_reads(&place.directory.join("data"), size, 1, Nanos::seconds(60));
        let reads = reads.expect("read").expect("it is large enough");
        (reads.repeated / reads.fresh, reread::cached_below(&reads))
    };
    let (cached, direct) = (factor(0), factor(1));
    lane_set.close().expect("nothing stays");
    assert!(cached.1.is_some() && cached.0 > direct.0, "{cached:?} {direct:?}");
}

#[test]
fn a_file_that_is_briefly_held_open_is_waited_for_before_an_unmount() {
    let Some(ground) = ground() else { return };
    let mut lane_set = ground.lane_set(&["ext4"], 320);
    let (place, _) = lane_set.make(0, Some(0), 1).expect("it can be made");
    let file = fs::File::create(place.directory.join("file")).expect("a new file");
    let begin = std::time::Instant::now();
    let holder = std::thread::spawn(move || {
        std::thread::sleep(std::time::Duration::from_millis(300));
        let held = begin.elapsed();
        drop(file);
        held
    });
    let took = lane_set.quiesce(0).expect("it comes to rest").expect("it has a lane");
    let whole = Nanos::from(begin.elapsed());
    let held = Nanos::from(holder.join().expect("it has closed the file"));
    assert!(whole.saturating_sub(took) >= held, "the wait of {held:?} is not counted: {took:?} of {whole:?}");
    assert!(mountinfo::mount_of(&place.directory).is_ok_and(|mount| mount.all_options().contains("rw")));
    lane_set.finish(0).expect("it is checked");
    lane_set.close().expect("nothing stays");
}
