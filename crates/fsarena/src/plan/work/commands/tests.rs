use clap::Parser;

use super::*;

fn chosen(arguments: &[&str]) -> Result<PlannedWork> {
    let words = ["compare", "ext4"].iter().chain(arguments);
    from_commands(&Compare::parse_from(words), &[])
}

fn names(arguments: &[&str]) -> Vec<String> {
    chosen(arguments).expect("sound").workloads.into_iter().map(|workload| workload.name.to_string()).collect()
}

#[test]
fn commands_have_names_that_can_be_read() {
    for (command, name) in [
        ("make -C {dir}/src -j2", "make-C-src-j2"),
        ("build=make -C {dir}", "build"),
        ("/usr/bin/cp -r /etc {dir}/etc", "cp-r-etc-etc"),
        ("sh -c 'a=1; cd \"$0\" && exec ./configure --with-much' {dir}", "sh-c"),
        ("xz -T{threads} {dir}/x", "xz-T-x"),
    ] {
        assert_eq!(names(&["--command", command]), [name]);
    }
}

#[test]
fn scans_give_a_workload_for_each_combination_that_differs() {
    let scans = ["--scan", "threads=1,2", "--scan", "level=3,9"];
    let own = ["--command", "one=xz -{level} -T{threads} {dir}/x", "--command", "two=cat {dir}/x"];
    let commands = chosen(&[&own[..], &scans].concat()).expect("sound").workloads;
    let words: Vec<_> = commands.iter().map(|it| (it.name.as_str(), it.parameters["script"][1].clone())).collect();
    assert_eq!(words[0], ("one@threads-1@level-3", json!("-3")));
    assert_eq!(words[3], ("one@threads-2@level-9", json!("-9")));
    assert_eq!(words[4].0, "two");
    assert_eq!(words.len(), 5);
}

#[test]
fn a_value_stays_one_word() {
    let own = ["--command", "x={a} {dir} {b}", "--scan", "a=one two,three", "--scan", "b=$HOME"];
    let commands = chosen(&own).expect("sound").workloads;
    assert_eq!(commands[0].parameters["script"], json!(["one two", "{dir}", "$HOME"]));
}

#[test]
fn the_sync_is_in_the_time_unless_it_is_set_apart() {
    let of = |more: &[&str]| {
        let PlannedWork { workloads, notes, .. } =
            chosen(&[&["--command", "cp x {dir}"], more].concat()).expect("sound");
        (workloads[0].ends_by_itself, workloads[0].durable, notes)
    };
    let (ends, durable, notes) = of(&[]);
    assert_eq!((ends, durable), (false, DurablePoint::Syncfs));
    assert!(notes[0].contains("is in its time"), "{notes:?}");
    assert_eq!(of(&["--sync", "apart"]).1, DurablePoint::None);
    let (ends, _, notes) = of(&["--metric", "rate=MB/s,higher:rate (.*)"]);
    assert!(ends && notes[0].contains("`rate`"), "{notes:?}");
}

#[test]
fn cold_runs_are_workloads_of_their_own() {
    let own = ["--command", "a=cat {dir}/x", "--cache"];
    assert_eq!(names(&[&own[..], &["both"]].concat()), ["a", "a@cold"]);
    assert_eq!(names(&[&own[..], &["cold"]].concat()), ["a@cold"]);
    let cold = chosen(&[&own[..], &["cold"]].concat()).expect("sound").workloads;
    assert_eq!(cold[0].title, "a@cold", "reports call it as other commands do");
}

#[test]
fn mistakes_in_commands_are_refused_and_doubtful_commands_are_noted() {
    for (arguments, words) in [
        (&["--command", "cp -r a b"][..], "no {dir}"),
        (&["--command", "cp 'a {dir}"], "a quote is open"),
        (&["--command", "x="], "--command has no command"),
        (&["--command", "a {dir}", "--guest"], "a guest has neither your programs"),
        (&["--command", "CC=gcc make -C {dir}"], "begins like a variable"),
        (&["--command", "a {dir}", "--scan", "x=1,2"], "no command has {x}"),
        (&["--command", "a {x} {dir}", "--scan", "x=1", "--scan", "x=2"], "given twice"),
        (
            &["--command", "a {x} {y} {dir}", "--scan", "x=1,2,3,4,5,6,7,8,9", "--scan", "y=1,2,3,4,5,6,7,8"],
            "72 workloads of a command, and 64",
        ),
        (&["--command", "a {dir}", "--command", "a {dir}"], "two commands have the name `a`"),
        (&["--command", "a {dir}", "--metric", "r=s,lower:(x)", "--sync", "within"], "has no sync"),
    ] {
        let error = chosen(arguments).err().expect("refused").to_string();
        assert!(error.contains(words), "{error}");
    }
    assert_eq!(words("--fio", "fio --name=a \\\n  --rw=read \\\r\n --bs=4k").expect("closed").len(), 4);
    let notes = chosen(&["--command", "cat {dir}/x | wc"]).expect("understood").notes;
    assert!(notes[0].contains("`|` is passed on as it is"), "{notes:?}");
    let notes = |command: &str| chosen(&["--command", command]).expect("understood").notes;
    for (command, word) in [
        ("ls {dir}; ls", "{dir};"),
        ("ls {dir}/*.c", "{dir}/*.c"),
        ("ls $HOME {dir}", "$HOME"),
        ("cp -r ~/x {dir}", "~/x"),
        ("cp -r $(pwd) {dir}", "$(pwd)"),
        ("ls {dir} 2>/dev/null", "2>/dev/null"),
        ("ls {dir} >/dev/null", ">/dev/null"),
        ("ls {dir} && ls", "&&"),
    ] {
        assert!(notes(command)[0].starts_with(&format!("`{word}` is passed on as it is")), "{:?}", notes(command));
    }
    for plain in ["sh -c 'ls *; ls $1 ~ >/dev/null' sh {dir}", "ls {dir}/a~"] {
        assert_eq!(notes(plain).len(), 1, "{:?}", notes(plain));
    }
    let prepared = chosen(&["--command", "ls {dir}", "--prepare", "rm {dir}/*"]).expect("understood").notes;
    assert!(prepared[0].starts_with("`{dir}/*` is passed on"), "{prepared:?}");
}
