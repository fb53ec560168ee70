//! What functions of the kernel say, whatever the file system. Each text lists the names of functions.

use fsarena_model::{Layer, Wait};

use super::Sleep::{self, Completions, Idle, Waits};

/// Functions in which threads wait, in all file systems. A name that ends with `*` stands for all that begin so.
pub(super) const SLEEPS: &[(Sleep, &str)] = &[
    (Waits(Wait::Throttling), "balance_dirty_pages*"),
    (Waits(Wait::Queue), "blk_mq_get_tag __blk_mq_get_tag wbt_wait rq_qos_wait"),
    (
        Waits(Wait::Writeback),
        "folio_wait_writeback* folio_wait_stable __sync_dirty_buffer sync_mapping_buffers fsync_buffers_list* \
         inode_wait_for_writeback blkdev_issue_flush wb_wait_for_completion",
    ),
    (
        Waits(Wait::Read),
        "filemap_get_pages filemap_update_page filemap_fault do_read_cache_folio filemap_read_folio __bread* \
         __bh_read* __block_write_begin* __iomap_write_begin* iomap_write_begin prepare_one_folio prepare_uptodate_* \
         xfs_buf_iowait",
    ),
    (Waits(Wait::Request), "__iomap_dio_rw __blockdev_direct_IO blkdev_direct_IO inode_dio_wait* request_wait_answer"),
    (Completions, "io_cqring_wait read_events"),
    (
        Waits(Wait::Lock),
        "rwsem_down_* __mutex_lock* __down* percpu_rwsem_wait* __lock_buffer __filemap_get_folio* d_alloc_parallel \
         __wait_on_freeing_inode",
    ),
    (Waits(Wait::Memory), "reclaim_throttle try_to_free_pages try_to_free_mem_cgroup_pages"),
    (Waits(Wait::KernelWork), "__flush_work* __flush_workqueue*"),
    (Waits(Wait::Unknown), "io_worker_handle_work"),
    (
        Idle,
        "locks_lock_inode_wait fcntl_setlk fifo_open io_wq_worker io_sq_thread do_wait pipe_read anon_pipe_read \
         pipe_write anon_pipe_write futex_* __futex_* ep_poll do_epoll_wait do_sys_poll do_select hrtimer_nanosleep \
         do_nanosleep unix_stream_* __skb_wait_for_more_packets sk_wait_data inet_csk_accept wait_for_vfork_done \
         kernel_clone sigsuspend do_sigtimedwait ptrace_stop do_semtimedop do_msgrcv do_mq_timedreceive wq_sleep \
         eventfd_read signalfd_read* fuse_dev_do_read __do_sys_pause sk_stream_wait_memory sock_alloc_send_pskb \
         __inet_stream_connect n_tty_read inotify_read timerfd_read* unix_wait_for_peer worker_thread",
    ),
];

/// Functions that say what a thread waits for only if none that calls them does.
pub(super) const FALLBACKS: &[(Wait, &str)] =
    &[(Wait::Lock, "__folio_lock*"), (Wait::Read, "__wait_on_buffer"), (Wait::Request, "submit_bio_wait")];

/// How functions of the kernel's layers begin, without `asm_` and underscores before the name. The innermost function of
/// a call chain that is in the list, or that is of the file system, tells the layer.
pub(super) const LAYERS: &[(Layer, &str)] = &[
    (Layer::Checksum, "crc32 blake2 sha256 xxh64 XXH64 zstd_ ZSTD_ HUF_ LZ4_ lzo1x_ zlib_ fletcher_ aes_"),
    (
        Layer::Copying,
        "copy_page_to_iter copy_page_from_iter copy_folio_ copy_user_ copy_mc_ copy_to_ copy_from_ rep_movs fault_in_ \
         memcpy",
    ),
    (Layer::Interrupts, "sysvec_ common_interrupt do_softirq handle_softirqs irq_exit"),
    (Layer::Block, "blk_ bio_ submit_bio blkdev_ elv_ dd_ loop_ lo_ nvme_ scsi_ virtblk_ virtio_queue_rq"),
    (
        Layer::Memory,
        "handle_mm_fault do_anonymous_page exc_page_fault alloc_pages alloc_frozen_pages shrink_ mmap_ do_mmap vm_mmap \
         x64_sys_munmap",
    ),
    (
        Layer::Processes,
        "exit_mmap do_exit kernel_clone copy_process copy_page_range copy_creds copy_strings do_execve bprm_ \
         load_elf_binary do_wait",
    ),
    (
        Layer::Communication,
        "pipe_ anon_pipe_ fifo_ sock_ sys_send sys_recv unix_ tcp_ udp_ inet_ ip_ sk_ skb_ eventfd_ ep_ do_epoll_ \
         do_sys_poll do_select",
    ),
    // What is read and written as files and is none.
    (Layer::Other, "seq_ proc_ kernfs_ tty_ n_tty_ urandom_ get_random_"),
    (
        Layer::PageCache,
        "vfs_ generic_ filemap_ folio_ iomap_ page_cache_ truncate_ write_cache_pages do_writepages block_ \
         mark_buffer_ link_path_walk path_ lookup_ d_ dput dentry_ do_sys_open do_filp_open ksys_ new_sync_ do_fsync \
         iput evict inode_ mark_inode_dirty do_unlinkat do_mkdirat do_rmdir filename_ fput iterate_dir",
    ),
];
