use super::*;

const MINUTE: Nanos = Nanos::seconds(60);
const CREATE: Operation = Operation::Create;

#[test]
fn the_sync_is_in_the_time_and_files_are_counted() {
    let output = mpi::read::<Mdtest>(include_str!("create.txt"), CREATE, 2).expect("two processes");
    assert_eq!(output.elapsed(400, "files", MINUTE), Ok(Nanos(61_250_925)));
    assert_eq!(output.elapsed(500, "files", MINUTE), Err("it finished 400 of 500 files".to_owned()));
}

/// mdtest 3.2.1 (#183): 40,334 creations per second in the only iteration, 54,790 in the summary.
/// mdtest 3.3.0 (#300): the summary's best stat, 761,024, is in no iteration.
#[test]
fn summaries_that_were_wrong_are_never_taken() {
    for (text, processes) in [(include_str!("summary-3.2.1.txt"), 4), (include_str!("summary-3.3.0.txt"), 4)] {
        let error = mpi::read::<Mdtest>(text, CREATE, processes).expect_err("it has no times of processes");
        assert!(error.contains("version 4.0 or later"), "{error}");
    }
}

#[test]
fn columns_are_found_by_their_names() {
    let text = include_str!("create.txt");
    let error = mpi::read::<Mdtest>(text, Operation::Stat, 2).expect_err("nothing was looked at");
    assert!(error.contains("no times of its processes"), "{error}");
    let text = text.replace("rate-File creation", "rate-File making");
    assert!(mpi::read::<Mdtest>(&text, CREATE, 2).is_err());
}

#[test]
fn files_that_are_missing_are_an_error() {
    let text = format!("WARNING: unable to stat file files/a\n{}", include_str!("create.txt"));
    assert!(mpi::read::<Mdtest>(&text, CREATE, 2).expect_err("missing").contains("unable to stat file"));
}

#[test]
fn all_cannot_be_faster_than_the_slowest() {
    let text = include_str!("create.txt").replace("6.1250925064e-02", "4.1250925064e-02");
    assert!(mpi::read::<Mdtest>(&text, CREATE, 2).expect_err("impossible").contains("slowest process"));
}
