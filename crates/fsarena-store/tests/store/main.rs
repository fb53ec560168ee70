//! The store as its users see it: what goes in comes out, and what is not a store is refused.

#![allow(clippy::unwrap_used)]

mod fixture;
mod hostile;
mod power;
mod reading;
mod refused;
mod round_trip;
