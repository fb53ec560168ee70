//! The kernel's random number generator (random(4)).

use std::ffi::c_int;
use std::fs::OpenOptions;
use std::io;

use rustix::ioctl::{Opcode, Setter, ioctl};

const RNDADDENTROPY: Opcode = 0x4008_5203;

/// `struct rand_pool_info` of linux/random.h.
#[repr(C)]
struct RandomPoolInfo {
    bits: c_int,
    bytes: c_int,
    content: [u8; 32],
}

/// Seeds the generator, which is ready at once and has not to wait for noise. Root only.
///
/// # Errors
/// `EPERM` without `CAP_SYS_ADMIN`.
pub fn seed(content: [u8; 32]) -> io::Result<()> {
    let pool = RandomPoolInfo { bits: 256, bytes: 32, content };
    let device = OpenOptions::new().write(true).open("/dev/random")?;
    // SAFETY: the request reads a `struct rand_pool_info` whose buffer has `bytes` bytes.
    Ok(unsafe { ioctl(device, Setter::<RNDADDENTROPY, _>::new(pool)) }?)
}
