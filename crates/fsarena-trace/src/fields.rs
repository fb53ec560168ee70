//! Which events are recorded, and where their data have which field.

use std::io;

use fsarena_sys::tracefs::{Field, Tracefs, Tracepoint};

/// An event that is recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// A processor passes from one thread to another.
    Switch,
    /// The call chain of the thread that a processor leaves, after its switch.
    Chain,
    /// A thread ran until now, for how long.
    Ran,
    /// A thread is woken.
    Woken,
    /// A kernel worker begins some work.
    Work,
    /// A request is issued to a device.
    Issued,
    /// It is completed.
    Completed,
}

impl Event {
    /// The name of its tracepoint.
    pub fn name(self) -> &'static str {
        match self {
            Self::Switch => "sched/sched_switch",
            Self::Chain => "ftrace/kernel_stack",
            Self::Ran => "sched/sched_stat_runtime",
            Self::Woken => "sched/sched_waking",
            Self::Work => "workqueue/workqueue_execute_start",
            Self::Issued => "block/block_rq_issue",
            Self::Completed => "block/block_rq_complete",
        }
    }
}

/// The fields of the events.
pub struct EventFields {
    numbers: Vec<(u64, Event)>,
    number: Field,
    pub thread: Field,
    pub flags: Field,
    pub from: Field,
    pub from_state: Field,
    pub from_name: Field,
    pub to: Field,
    pub to_name: Field,
    pub chain_length: Field,
    pub chain: Field,
    /// The thread that ran, and nanoseconds.
    pub ran: (Field, Field),
    pub woken: Field,
    pub work_function: Field,
    pub issued: RequestFields,
    pub completed: RequestFields,
}

/// The fields of a request's tracepoint.
pub struct RequestFields {
    pub sector: Field,
    pub sectors: Field,
    pub letters: Field,
}

impl EventFields {
    /// Those of this kernel.
    ///
    /// # Errors
    /// If it lacks a tracepoint or a field.
    pub fn read(tracefs: &Tracefs) -> io::Result<Self> {
        let mut numbers = Vec::new();
        let mut read = |event: Event| {
            let tracepoint = tracefs.tracepoint(event.name())?;
            numbers.push((tracepoint.id, event));
            Ok::<Tracepoint, io::Error>(tracepoint)
        };
        let (switch, chain, ran) = (read(Event::Switch)?, read(Event::Chain)?, read(Event::Ran)?);
        let (waking, work) = (read(Event::Woken)?, read(Event::Work)?);
        let (issue, complete) = (read(Event::Issued)?, read(Event::Completed)?);
        Ok(Self {
            numbers,
            number: field(&switch, "common_type")?,
            thread: field(&switch, "common_pid")?,
            flags: field(&switch, "common_flags")?,
            from: field(&switch, "prev_pid")?,
            from_state: field(&switch, "prev_state")?,
            from_name: field(&switch, "prev_comm")?,
            to: field(&switch, "next_pid")?,
            to_name: field(&switch, "next_comm")?,
            chain_length: field(&chain, "size")?,
            chain: field(&chain, "caller")?,
            ran: (field(&ran, "pid")?, field(&ran, "runtime")?),
            woken: field(&waking, "pid")?,
            work_function: field(&work, "function")?,
            issued: RequestFields::of(&issue)?,
            completed: RequestFields::of(&complete)?,
        })
    }

    /// The event that has these data.
    pub fn event(&self, data: &[u8]) -> Option<Event> {
        let number = self.number.number(data)?;
        self.numbers.iter().find(|(known, _)| *known == number).map(|(_, event)| *event)
    }
}

fn field(tracepoint: &Tracepoint, name: &str) -> io::Result<Field> {
    let field = tracepoint.field(name);
    field.ok_or_else(|| io::Error::other(format!("a tracepoint of the kernel lacks the field {name}")))
}

impl RequestFields {
    fn of(tracepoint: &Tracepoint) -> io::Result<Self> {
        let field = |name| field(tracepoint, name);
        Ok(Self { sector: field("sector")?, sectors: field("nr_sector")?, letters: field("rwbs")? })
    }
}
