//! The binary as people use it: arguments, output, exit codes, and what is left behind. Real loop devices, real mkfs.

mod caches;
mod calibrating;
mod comparing;
mod disks;
mod fio;
mod grids;
mod installing;
mod leaving;
mod libraries;
mod loads;
mod memory;
mod openeuler;
mod ordinary;
mod published;
mod rates;
mod refusing;
mod reproduce;
mod resuming;
mod servers;
mod shell;
mod stage;
mod unavailable;
mod validity;
mod weights;
