//! A plan and a world together, their performance, and its result.

use std::rc::Rc;

use fsarena_analyse::assess;
use fsarena_engine::Engines;
use fsarena_execute::remote::Machines;
use fsarena_execute::{Remaining, RunError, Testbed, Wish, run};
use fsarena_model::{
    Better, Comparison, DurablePoint, Event, Measure, Measuring, Metric, Mode, Nanos, NoiseBounds, Plan, Rounds,
    RunRecord, Status, Trial, Verdict, Workload,
};

use crate::backstage::Backstage;
use crate::{Collector, FakeClock, FakeTestbed, Wire, World};

/// A plan and the world in which it is performed.
#[derive(Debug, Clone)]
pub struct Play {
    /// What runs.
    pub plan: Plan,
    /// Where it runs.
    pub world: World,
    /// Duration of the preparation before the run began.
    pub setup: Nanos,
    /// Number of events that the listener can store.
    pub deaf_from: usize,
}

/// The result of a play.
pub struct Performance {
    /// How the run ended.
    pub result: Result<Status, RunError>,
    /// All events.
    pub events: Vec<Event>,
    /// The time of each event.
    pub times: Vec<Nanos>,
    /// The events that came while the counters of a slice were watched.
    pub within_slices: Vec<Event>,
    /// The testbed's acts, in their order.
    pub journal: Vec<String>,
    /// The record of the events.
    pub record: RunRecord,
}

impl Play {
    /// Two workloads of files within three minutes.
    pub fn new(contenders: &[&str], world: World) -> Self {
        let plan = Plan {
            workloads: vec![workload("create"), workload("append")],
            seed: 7,
            rounds: Rounds::Within(Nanos::seconds(180)),
            measuring: Measuring { noise: NoiseBounds::ignored(), ..Measuring::default() },
            ..Plan::of(contenders.iter().map(|text| text.parse().expect("a well-spelled contender")).collect())
        };
        Self { plan, world, setup: Nanos(0), deaf_from: usize::MAX }
    }

    /// With these workloads instead.
    pub fn with_workloads(mut self, workloads: Vec<Workload>) -> Self {
        self.plan.workloads = workloads;
        self
    }

    /// With this limit of its rounds.
    pub fn with_rounds(mut self, rounds: Rounds) -> Self {
        self.plan.rounds = rounds;
        self
    }

    /// With this seed.
    pub fn with_seed(mut self, seed: u64) -> Self {
        self.plan.seed = seed;
        self
    }

    /// Performs the play on the fake testbed.
    pub fn perform(&self) -> Performance {
        self.play(self.whole(), |testbed, _| Box::new(testbed))
    }

    /// Performs the play on a testbed that answers calls, each of which is written as JSON.
    pub fn perform_by_calls(&self) -> Performance {
        self.play(self.whole(), |testbed, clock| {
            let machines = vec![(Wire::to(testbed), &self.plan)];
            Box::new(Machines::new(&self.plan, machines, Engines(&[]), Vec::new(), Rc::new(clock.clone())))
        })
    }

    /// Continues the run of `record` in this world; `None` if nothing remains to be done.
    pub fn resume(&self, record: &RunRecord, wish: Wish) -> Option<Performance> {
        let rest = Remaining::of(record.clone(), wish).expect("there is time for a round")?;
        Some(self.play(rest.resumed("2026-01-02T00:00:00Z".to_owned()), |testbed, _| Box::new(testbed)))
    }

    fn whole(&self) -> Remaining {
        Remaining::whole(RunRecord::new(3, self.plan.clone(), "2026-01-01T00:00:00Z".to_owned()))
    }

    /// Runs what remains on the testbed that `reached` makes of a fake one, and adds its events to the record.
    fn play(&self, rest: Remaining, reached: impl FnOnce(FakeTestbed, &FakeClock) -> Box<dyn Testbed>) -> Performance {
        let mut record = rest.record.clone();
        let clock = FakeClock::default();
        clock.advance(self.setup);
        let labels = self.plan.contenders.iter().map(|contender| contender.label.to_string());
        let labels = labels.chain(["memory".to_owned()]).collect();
        let backstage = Rc::new(Backstage::new(self.world.clone(), labels, clock.clone()));
        let mut testbed = reached(FakeTestbed::new(backstage.clone()), &clock);
        let mut listener = Collector::new(clock.clone(), self.deaf_from).at(backstage.clone());
        let result = run(rest, &mut *testbed, &clock, &backstage.stop, &mut listener);
        listener.events.iter().cloned().for_each(|event| record.apply(event));
        let Collector { events, times, within_slices, .. } = listener;
        Performance { result, events, times, within_slices, journal: backstage.journal(), record }
    }
}

impl Performance {
    /// How the run ended.
    ///
    /// # Panics
    /// If it failed.
    pub fn status(&self) -> Status {
        *self.result.as_ref().expect("the run came to an end")
    }

    /// What follows from the record.
    pub fn comparison(&self) -> Comparison {
        assess(&self.record)
    }

    /// All verdicts, by workload, then pair.
    pub fn verdicts(&self) -> Vec<Verdict> {
        self.comparison().judged.verdicts.iter().map(|pair| pair.verdict).collect()
    }

    /// The workloads of each round that began, in that round's order.
    pub fn rounds(&self) -> Vec<Vec<String>> {
        let workloads = |event: &Event| match event {
            Event::RoundStarted { workloads, .. } => Some(workloads.clone()),
            _ => None,
        };
        self.events.iter().filter_map(workloads).collect()
    }

    /// The expected number of rounds, as announced at the beginning of each round.
    pub fn expected(&self) -> Vec<u32> {
        let expected = |event: &Event| match event {
            Event::RoundStarted { expected, .. } => Some(*expected),
            _ => None,
        };
        self.events.iter().filter_map(expected).collect()
    }

    /// The trials of a contender in a workload.
    pub fn trials_of(&self, workload: &str, contender: &str) -> Vec<&Trial> {
        let is_of = |trial: &&Trial| trial.workload == workload && trial.contender.0 == contender;
        self.record.trials.iter().filter(is_of).collect()
    }

    /// The texts of all notes.
    pub fn notes(&self) -> Vec<&str> {
        self.record.notes.iter().map(|note| note.text.as_str()).collect()
    }

    /// The entries of the journal that begin with `beginning`.
    pub fn entries(&self, beginning: &str) -> Vec<&str> {
        self.journal.iter().map(String::as_str).filter(|entry| entry.starts_with(beginning)).collect()
    }
}

/// A sliced workload: 20 ms to warm up, 100 ms timed, four slices, an fsync with each operation.
pub fn workload(name: &str) -> Workload {
    let metric = Metric {
        name: "operations-per-second".to_owned(),
        unit: "op/s".to_owned(),
        measure: Measure::OperationsPerSecond,
        better: Better::Higher,
    };
    Workload {
        measures: "How often something is done.".to_owned(),
        why: "A test.".to_owned(),
        durable: DurablePoint::Fsync,
        mode: Mode::Sliced,
        warm_up_ms: 20,
        timed_ms: 100,
        ends_by_itself: false,
        ..Workload::new(name.parse().expect("a name"), "files", metric, serde_json::Value::Null)
    }
}
