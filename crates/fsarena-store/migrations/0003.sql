-- References: the same work in memory, on the bare device, or as mere starts; each whole as JSON. Of a round: what a write and
-- flush cost on the spare lane, and what the machine was kept from doing, as JSON.
CREATE TABLE reference (
    id INTEGER PRIMARY KEY,
    run INTEGER NOT NULL REFERENCES run (run),
    reference TEXT NOT NULL
) STRICT;
CREATE INDEX reference_of_run ON reference (run);
ALTER TABLE round ADD COLUMN lane_cost TEXT;
ALTER TABLE round ADD COLUMN conditions TEXT;
