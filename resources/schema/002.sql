-- Which prompts an evaluation used: runs are compared on the same ones only. Evaluations that are known already are read again.
ALTER TABLE eval ADD COLUMN trials_hash TEXT NOT NULL DEFAULT '';
UPDATE eval SET signature = '';
UPDATE run SET signature = '';
