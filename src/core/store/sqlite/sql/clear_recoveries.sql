-- A run that made progress is no crash-loop suspect any more.
UPDATE workflow_runs SET recoveries = 0, charges = 0 WHERE id = ?1
