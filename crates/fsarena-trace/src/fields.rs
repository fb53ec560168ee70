//! Where the data of the tracepoints have which field.

use fsarena_sys::tracefs::{Field, Tracepoint};

/// The fields of the tracepoints.
pub struct EventFields {
    pub flags: Field,
    pub from: Field,
    pub from_state: Field,
    pub from_name: Field,
    pub to: Field,
    pub to_name: Field,
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
    /// Those of these tracepoints; `None` if the kernel lacks one.
    pub fn of(
        switch: &Tracepoint,
        waking: &Tracepoint,
        work: &Tracepoint,
        issue: &Tracepoint,
        complete: &Tracepoint,
    ) -> Option<Self> {
        Some(Self {
            flags: switch.field("common_flags")?,
            from: switch.field("prev_pid")?,
            from_state: switch.field("prev_state")?,
            from_name: switch.field("prev_comm")?,
            to: switch.field("next_pid")?,
            to_name: switch.field("next_comm")?,
            woken: waking.field("pid")?,
            work_function: work.field("function")?,
            issued: RequestFields::of(issue)?,
            completed: RequestFields::of(complete)?,
        })
    }
}

impl RequestFields {
    fn of(tracepoint: &Tracepoint) -> Option<Self> {
        let field = |name| tracepoint.field(name);
        Some(Self { sector: field("sector")?, sectors: field("nr_sector")?, letters: field("rwbs")? })
    }
}
