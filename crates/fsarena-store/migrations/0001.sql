-- The first form of the store. What is asked for has a column of its own; the rest of a value is its JSON.

CREATE TABLE run (
    run         INTEGER PRIMARY KEY AUTOINCREMENT,
    started     TEXT NOT NULL,              -- RFC 3339, UTC
    status      TEXT NOT NULL,              -- complete | interrupted
    suite       TEXT,
    plan_hash   TEXT NOT NULL,
    plan        TEXT NOT NULL,              -- JSON
    environment TEXT                        -- JSON, once surveyed
) STRICT;

-- The contenders as planned.
CREATE TABLE contender (
    run      INTEGER NOT NULL REFERENCES run,
    position INTEGER NOT NULL,
    label    TEXT NOT NULL,
    kind     TEXT NOT NULL,
    PRIMARY KEY (run, position)
) STRICT, WITHOUT ROWID;

-- The contenders as they really were.
CREATE TABLE contender_facts (
    id    INTEGER PRIMARY KEY,
    run   INTEGER NOT NULL REFERENCES run,
    label TEXT NOT NULL,
    facts TEXT NOT NULL                     -- JSON
) STRICT;
CREATE INDEX contender_facts_by_run ON contender_facts (run);

CREATE TABLE round (
    id            INTEGER PRIMARY KEY,
    run           INTEGER NOT NULL REFERENCES run,
    round         INTEGER NOT NULL,
    seconds       REAL,
    foreign_cores REAL,
    steal_cores   REAL
) STRICT;
CREATE INDEX round_by_run ON round (run);

CREATE TABLE trial (
    id        INTEGER PRIMARY KEY,
    run       INTEGER NOT NULL REFERENCES run,
    round     INTEGER NOT NULL,
    workload  TEXT NOT NULL,
    contender TEXT NOT NULL,
    lane      INTEGER,
    outcome   TEXT NOT NULL,                -- finished | failed
    reason    TEXT,                         -- of a failure
    latencies TEXT NOT NULL,                -- JSON
    probes    TEXT NOT NULL                 -- JSON
) STRICT;
CREATE INDEX trial_by_run ON trial (run, workload, contender, round);

CREATE TABLE slice (
    id         INTEGER PRIMARY KEY,
    trial      INTEGER NOT NULL REFERENCES trial,
    position   INTEGER NOT NULL,
    operations INTEGER NOT NULL,
    bytes      INTEGER NOT NULL,
    elapsed_ns INTEGER NOT NULL,
    value      REAL                         -- null: not a number
) STRICT;
CREATE INDEX slice_by_trial ON slice (trial);

CREATE TABLE file_system_check (
    id        INTEGER PRIMARY KEY,
    run       INTEGER NOT NULL REFERENCES run,
    round     INTEGER NOT NULL,
    contender TEXT NOT NULL,
    clean     INTEGER NOT NULL,             -- 0 | 1
    output    TEXT NOT NULL
) STRICT;
CREATE INDEX file_system_check_by_run ON file_system_check (run);

CREATE TABLE note (
    id       INTEGER PRIMARY KEY,
    run      INTEGER NOT NULL REFERENCES run,
    severity TEXT NOT NULL,                 -- info | warning | failure
    text     TEXT NOT NULL
) STRICT;
CREATE INDEX note_by_run ON note (run);
