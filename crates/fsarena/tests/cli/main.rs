//! The binary as people use it: arguments, output, exit codes, and what is left behind. Real loop devices, real mkfs.

mod caches;
mod calibrating;
mod comparing;
mod fio;
mod grids;
mod leaving;
mod loads;
mod memory;
mod ordinary;
mod rates;
mod refusing;
mod resuming;
mod shell;
mod stage;
mod validity;
