//! The published figures: each is there, and they agree with each other.

mod coherent;
mod complete;
