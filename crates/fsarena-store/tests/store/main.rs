//! The store as its users see it: what goes in comes out, and what is not a store is refused.

#![allow(clippy::unwrap_used)]

mod fixture;
mod refused;
mod round_trip;
