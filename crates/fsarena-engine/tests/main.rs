//! The engines on real files, devices and programs. All tests are in one executable, because linking takes long.

mod catalogue;
mod data;
mod device;
mod fio;
mod iozone;
mod jobs;
mod metadata;
mod openeuler;
mod sequence;
mod starts;
mod sysbench;
