//! The store from its users' point of view: it returns what was stored, and refuses what is not a store.

#![allow(clippy::unwrap_used)]

mod fixture;
mod hostile;
mod power;
mod reading;
mod refused;
mod round_trip;
