//! Tests of the published figures: they are complete, and they agree with each other.

mod coherent;
mod complete;
