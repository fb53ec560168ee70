-- Latency over time, one or more per slice and operation; NULL in trials of before it was kept.
ALTER TABLE trial ADD COLUMN over_time TEXT;
