-- Of a trial: the steps of which it consists, and what comparing the files that it left has found, both as JSON.
ALTER TABLE trial ADD COLUMN steps TEXT;
ALTER TABLE trial ADD COLUMN verified TEXT;
