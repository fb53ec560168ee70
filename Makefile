# The two commands: `make compare` and `make test`. Both install what is missing first.

TARGET := x86_64-unknown-linux-gnu
TARGET_DIR := $(or $(CARGO_TARGET_DIR),target)
FSARENA := $(TARGET_DIR)/$(TARGET)/release/fsarena

PROGRAMS := cc:gcc mke2fs:e2fsprogs mkfs.xfs:xfsprogs mkfs.btrfs:btrfs-progs blkid:util-linux setpriv:util-linux fio:fio sysbench:sysbench
HEADERS := /usr/include/stdio.h

.PHONY: help compare test build setup lint calibrate bench-engine parity clean

help:
	@echo "make compare    compare ext4, xfs and btrfs here, and write fsarena-report.html"
	@echo "make test       check everything, as CI does"
	@echo "make build      the release binary, $(FSARENA)"
	@echo "make bench-engine what the load engine costs beside fio and fs_mark"
	@echo "make parity     the same jobs natively and through fio, on a lane (root)"
	@echo "make calibrate  simulate the decision rule and print how often it errs, in some minutes (SCALE=4: four times the runs)"

setup:
	@scripts/install-missing $(PROGRAMS) $(if $(wildcard $(HEADERS)),,no-headers:libc6-dev)

build: setup
	cargo build --release --locked --package fsarena

compare: build
	$(FSARENA) compare ext4 xfs btrfs
	$(FSARENA) report last --format html -o fsarena-report.html

lint:
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --locked -- --deny warnings

test: setup lint
	INSTA_UPDATE=no cargo test --workspace --locked

bench-engine:
	@scripts/install-missing cc:gcc fio:fio fs_mark:fsmark valgrind:valgrind
	cargo run --release --locked --package fsarena-engine --example bench_engine

parity: setup
	cargo run --release --locked --package fsarena-session --example parity

calibrate: setup
	cargo run --release --locked --package fsarena-stats --example calibrate -- $(or $(SCALE),1) $(or $(SEED),1)

clean:
	cargo clean
