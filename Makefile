# The main targets are `make compare` and `make test`. Both first install missing programs.

TARGET := $(shell uname -m)-unknown-linux-gnu
export CARGO_BUILD_TARGET := $(TARGET)
TARGET_DIR := $(or $(CARGO_TARGET_DIR),target)
FSARENA ?= $(TARGET_DIR)/$(TARGET)/release/fsarena

PROGRAMS := cc:gcc mke2fs:e2fsprogs mkfs.xfs:xfsprogs mkfs.btrfs:btrfs-progs blkid:util-linux setpriv:util-linux fio:fio sysbench:sysbench
# Of scripts/cluster what its smallest test needs: 8 MB. GlusterFS would bring 23 MB more, and OpenMPI 7 MB.
CLUSTER := ip:iproute2 munged:munge slurmctld:slurmctld slurmd:slurmd srun:slurm-client /usr/sbin/sshd:openssh-server \
	mfsmaster:moosefs-master mfschunkserver:moosefs-chunkserver mfsmount:moosefs-client sshfs:sshfs
TESTERS := strace:strace /bin/busybox:busybox-static qemu-system-x86_64:qemu-system-x86 qemu-img:qemu-utils /usr/lib/openssh/sftp-server:openssh-sftp-server $(CLUSTER)
HEADERS := /usr/include/stdio.h

# Programs of the suites that run real programs; `make compare` installs those of its suite first.
# The package mariadb-server is not used: it would only add a service.
MARIADB := mariadbd:mariadb-server-core mariadb-install-db:mariadb-server-core mariadb:mariadb-client mariadb-admin:mariadb-client
POSTGRESQL := /usr/lib/postgresql/*/bin/postgres:postgresql
APPS_trading := $(MARIADB) sysbench:sysbench
APPS_phoronix-2009 := $(POSTGRESQL) apache2:apache2-bin ab:apache2-utils sqlite3:sqlite3 pbzip2:pbzip2 dbench:dbench postmark:postmark qemu-system-x86_64:qemu-system-x86

APPS_work := git:git gcc:gcc make:make find:findutils tar:tar gzip:gzip sqlite3:sqlite3 perl:perl-base logrotate:logrotate qemu-img:qemu-utils
# Programs of the profiles, beyond those of the suites.
APPS_profiles := $(APPS_work) $(MARIADB) $(POSTGRESQL) sysbench:sysbench rsync:rsync umoci:umoci pip3:python3-pip npm:npm
# Programs that no profile contains, and that its recommendations are held against (`make validate`).
APPS_validation := awk:mawk ccache:ccache cmake:cmake cpio:cpio dpkg-deb:dpkg hg:mercurial mdb_load:lmdb-utils minc:mblaze \
	multilog:daemontools ninja:ninja-build notmuch:notmuch procmail:procmail redis-server:redis-server rg:ripgrep \
	svn:subversion unsquashfs:squashfs-tools unzip:unzip zip:zip zstd:zstd cjpeg:libjpeg-turbo-progs

# A suite may set its contenders and rounds; `work` sets neither.
OF_SUITE := $(if $(SUITE),--suite $(SUITE)) $(if $(ROUNDS),--rounds $(ROUNDS)) $(if $(SCALE),--scale $(SCALE))

.PHONY: help apps compare validate test test-uml test-command test-parts test-missing test-articles test-mpi test-page build install dist setup calibrate bench-round bench-engine parity parity-apps references clean cluster cluster-smoke cluster-down

help:
	@echo "make compare    compare ext4, xfs and btrfs here, and write fsarena-report.html"
	@echo "                SUITE=trading or phoronix-2009: with its programs, which are installed (ROUNDS=3 SCALE=smoke CONTENDERS='ext3 ext4')"
	@echo "make apps       install the programs of these suites: MariaDB, PostgreSQL, Apache httpd and tools; no service is started or enabled"
	@echo "make validate   run every profile with programs that it does not contain, for an hour, and write docs/validation.md (BUDGET=20m OUTPUT=FILE)"
	@echo "make test       check everything, as CI does (NEEDS=list: list tests that cannot run here instead of failing)"
	@echo "make test-uml   those without guests in User-mode Linux, which is installed: control groups of version 2 alone (root)"
	@echo "make test-articles  run every suite and article for seconds, and compare the catalogue with the articles (SEEDS=DIR)"
	@echo "make test-mpi   run IOR, mdtest and elbencho for seconds; they have to be on the search path, built from source"
	@echo "make test-page  open the pages of a run and of an article in Chromium, which is installed (300 MB); root (PAGES='a.html b.html': these)"
	@echo "make build      the release binary, $(FSARENA)"
	@echo "make install    the binary, completions and the manual page (PREFIX=/usr/local DESTDIR=)"
	@echo "make dist       packages for Debian, archives and checksums in $(TARGET_DIR)/dist"
	@echo "make bench-round  where the time of a round goes (root)"
	@echo "make bench-engine what the load engine costs compared with fio and fs_mark"
	@echo "make cluster    Slurm, ssh, GlusterFS and MooseFS on 4 nodes in namespaces of this machine (root; NODES=8)"
	@echo "make cluster-smoke  a comparison on two nodes of it (FSARENA=BINARY); make cluster-down ends it"
	@echo "make parity     the same jobs natively and through fio, on a lane (root)"
	@echo "make parity-apps servers and tools through fsarena and by hand, on a lane (root)"
	@echo "make references  compute the reference values of the statistics tests with pinned SciPy, and compare"
	@echo "make calibrate  simulate the decision rule and print how often it errs, in some minutes (RUNS=2000: more runs)"

setup:
	@scripts/install-missing $(PROGRAMS) $(if $(wildcard $(HEADERS)),,no-headers:libc6-dev)

build: setup
	cargo build --release --locked --package fsarena

PREFIX ?= /usr/local

install: build
	scripts/install-files $(FSARENA) $(FSARENA) $(DESTDIR)$(PREFIX)

dist: build
	scripts/dist $(TARGET_DIR) $(TARGET)

apps:
	@scripts/install-missing $(sort $(APPS_trading) $(APPS_phoronix-2009) $(APPS_profiles))

compare: build
	$(if $(APPS_$(or $(SUITE),work)),@scripts/install-missing $(APPS_$(or $(SUITE),work)))
	$(FSARENA) compare $(or $(CONTENDERS),$(if $(SUITE),,ext4 xfs btrfs)) $(OF_SUITE) -o fsarena-report.html

validate: build
	@scripts/install-missing $(sort $(APPS_profiles) $(APPS_validation))
	$(FSARENA) validate --budget $(or $(BUDGET),1h) -o $(or $(OUTPUT),docs/validation.md)

# Clippy's compiler builds the tests, so that nothing is compiled twice; its warnings are errors. Property tests have
# fixed seeds. A test whose needs are missing fails; with NEEDS=list such tests are listed at the end instead.
MISSING := $(TARGET_DIR)/missing-needs
BEFORE := $(TARGET_DIR)/before-tests
ON_TESTS := RUSTC_WORKSPACE_WRAPPER=clippy-driver CLIPPY_ARGS=-Dwarnings__CLIPPY_HACKERY__ \
	INSTA_UPDATE=no PROPTEST_RNG_SEED=1 FSARENA_NEEDS=$(if $(filter list,$(NEEDS)),$(abspath $(MISSING)),fail)
TEST := $(ON_TESTS) cargo test --workspace --locked

test: setup apps
	@scripts/install-missing $(TESTERS)
	cargo fmt --all --check
	$(TEST) --tests --examples --no-run
	@rm -f $(MISSING)
	@scripts/nothing-left >$(BEFORE)
	@$(MAKE) --no-print-directory --jobs=2 --output-sync=target test-command test-parts
	@scripts/nothing-left $(BEFORE)
	@$(MAKE) --no-print-directory test-missing

test-missing:
	@test ! -s $(MISSING) || { echo "Not tested here:"; sort $(MISSING); }

# The build is done before: what is written there is gone at its end. Tests that boot guests would take hours there. It
# has one processor, no virtual network cards, and too small an address space for MariaDB.
NOT_THERE := guests:: layers:: pools:: durability:: clients:: cluster:: mariadb:: oltp:: the_real_work_of_the_profiles
test-uml: setup apps
	@scripts/install-missing $(TESTERS) linux.uml:user-mode-linux
	$(TEST) --tests --examples --no-run
	@rm -f $(MISSING)
	scripts/in-uml $(MAKE) --keep-going --no-print-directory test-command test-parts test-missing NEEDS=list SKIP="$(NOT_THERE:%=--skip %)"

# Two groups that run in parallel: runs of the command, which mostly wait for devices and so are one more than there
# are processors, and all other tests.
test-command:
	$(TEST) --test 'c*' -- --test-threads=$$(($$(nproc) + 1)) $(SKIP)

test-parts:
	$(TEST) --lib --bins --test '[!c]*' -- $(SKIP)

# Runs every suite and article once, with its servers, at smoke scale. Compares the catalogue with the texts of the five
# articles, which are not part of this repository.
test-articles: setup apps
	FSARENA_SEEDS=$(or $(SEEDS),$(error make test-articles SEEDS=DIR: a directory with the texts of the five articles)) $(TEST) --test cli --test published -- --ignored
	$(if $(FIO_EXAMPLES),FSARENA_FIO_EXAMPLES=$(FIO_EXAMPLES) $(TEST) --test engine -- --ignored --nocapture fios_own_examples)

test-mpi:
	@scripts/install-missing mpirun:openmpi-bin
	$(TEST) --test programs -- --ignored mpi::

# Installs Chromium and is therefore no part of `make test`. Pictures of the pages are left in pages/pictures of the
# target directory. The store of the two runs is removed.
PAGE_DIR := $(abspath $(TARGET_DIR))/pages
AXE := axe-core-4.10.3
AXE_SHA256 := 0f2b4d7dcdf7d1219df8d1959ad68e565f51d14c3f0d88bb71cd59abeb956292
ON_PAGES := $(FSARENA) --store $(PAGE_DIR)/store.sqlite
test-page: $(if $(PAGES),,build)
	@scripts/install-missing chromium:chromium python3:python3 npm:npm
	@mkdir -p $(PAGE_DIR)
	cd $(PAGE_DIR) && npm pack --silent $(subst core-,core@,$(AXE)) && echo "$(AXE_SHA256)  $(AXE).tgz" | sha256sum --check && tar -xzf $(AXE).tgz package/axe.min.js
	$(if $(PAGES),,$(ON_PAGES) compare ext4 xfs btrfs --rounds 4 -o $(PAGE_DIR)/run.html > /dev/null)
	$(if $(PAGES),,$(ON_PAGES) reproduce axvisor --harness native --contenders ext4,xfs --rounds 1 -o $(PAGE_DIR)/article.html > /dev/null)
	@rm -f $(PAGE_DIR)/store.sqlite*
	scripts/test-page $(PAGE_DIR)/package/axe.min.js $(PAGE_DIR)/pictures $(or $(PAGES),$(PAGE_DIR)/run.html $(PAGE_DIR)/article.html)

bench-round: build
	rm -f target/bench-round.sqlite*
	$(FSARENA) --store target/bench-round.sqlite compare ext4 xfs btrfs --rounds $(or $(ROUNDS),3) > target/bench-round.txt
	cargo run --quiet --locked --package fsarena --example round_times -- target/bench-round.sqlite

bench-engine:
	@scripts/install-missing cc:gcc fio:fio fs_mark:fsmark valgrind:valgrind
	cargo run --release --locked --package fsarena-engine --example bench_engine

parity: setup
	cargo run --release --locked --package fsarena-execute --example parity

parity-apps: setup
	cargo run --release --locked --package fsarena-execute --example parity_apps

# A cluster for tests (scripts/cluster): no service is started, and all of it ends with `make cluster-down`.
cluster:
	scripts/cluster up $(or $(NODES),4)

cluster-smoke:
	scripts/cluster smoke $(abspath $(FSARENA))

cluster-down:
	scripts/cluster down

calibrate: setup
	cargo run --release --locked --package fsarena-stats --example calibrate -- $(or $(RUNS),300) $(or $(SEED),1)

# Writes the reference values of the statistics tests again, with pinned versions of NumPy, SciPy and statsmodels, and
# fails if they differ.
REFERENCE := crates/fsarena-stats/tests/reference
references:
	python3 -m venv $(TARGET_DIR)/references
	$(TARGET_DIR)/references/bin/pip install --quiet -r $(REFERENCE)/requirements.txt
	cd $(REFERENCE) && for script in make decision; do $(abspath $(TARGET_DIR))/references/bin/python $$script.py || exit 1; done
	git diff --stat --exit-code -- $(REFERENCE)

clean:
	cargo clean
