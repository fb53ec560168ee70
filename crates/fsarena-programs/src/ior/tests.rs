use super::*;

const MINUTE: Nanos = Nanos::seconds(60);

#[test]
fn the_slowest_process_gives_the_time() {
    let output = mpi::read::<Ior>(include_str!("write.txt"), Operation::Write, 2).expect("two processes");
    assert_eq!(output.elapsed(2 * 256 * 47_008, "bytes", MINUTE), Ok(Nanos(25_696_993)));
}

/// A clock of one node that is 2 s ahead (#431, #528): IOR prints 15.88 MiB/s of 32 MiB in 14.5 ms.
#[test]
fn clocks_that_differ_change_nothing() {
    let output = mpi::read::<Ior>(include_str!("clock.txt"), Operation::Write, 2).expect("two processes");
    assert_eq!(output.elapsed(32 << 20, "bytes", MINUTE), Ok(Nanos(14_529_943)));
}

/// A time of day that was set by an hour during the run: no figure follows.
#[test]
fn a_time_that_cannot_be_is_refused() {
    let output = mpi::read::<Ior>(include_str!("clock-set.txt"), Operation::Write, 2).expect("two processes");
    let error = output.elapsed(32 << 20, "bytes", MINUTE).expect_err("an hour within a minute");
    assert!(error.ends_with("the time of day was set"), "{error}");
}

/// 587 of 1,024 transfers of a process, because its time was over (#495): it prints a latency of 1.4 ms, the time
/// divided by 1,024.
#[test]
fn bytes_are_those_that_were_moved() {
    let output = mpi::read::<Ior>(include_str!("stonewall.txt"), Operation::Write, 2).expect("two processes");
    assert_eq!(output.amount.round(), 2.0 * 587.0 * f64::from(1 << 20));
    let error = output.elapsed(2 << 30, "bytes", MINUTE).expect_err("half of it");
    assert_eq!(error, "it finished 1231028224 of 2147483648 bytes");
    assert_eq!(output.elapsed((2 * 587) << 20, "bytes", MINUTE), Ok(Nanos(1_593_750_000)));
}

#[test]
fn programs_of_one_process_each_are_refused() {
    let text = include_str!("write.txt").replace("write,1,", "write,0,");
    assert!(
        mpi::read::<Ior>(&text, Operation::Write, 2)
            .expect_err("two of one")
            .contains("2 programs of one process each")
    );
    assert!(
        mpi::read::<Ior>(include_str!("write.txt"), Operation::Read, 2).expect_err("it wrote").contains("4.0 or later")
    );
}

#[test]
fn wrong_data_are_an_error() {
    let text = format!("WARNING: Incorrect data on read (7 errors found).\n{}", include_str!("write.txt"));
    assert!(mpi::read::<Ior>(&text, Operation::Write, 2).expect_err("wrong").contains("7 errors found"));
}
