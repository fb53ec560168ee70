//! The engines on real files, devices and programs, in one executable, for linking takes long.

mod articles;
mod data;
mod device;
mod fio;
mod iozone;
mod jobs;
mod metadata;
mod openeuler;
mod sequence;
mod shell;
mod sysbench;
