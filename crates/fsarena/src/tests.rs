//! Tests of the whole repository: its architecture, and the command lines of its documents.

mod architecture;
mod documented;
