-- The runs of a queue that are not over: with one of them it is not removed.
SELECT count(*) FROM workflow_runs WHERE queue = ?1 AND completed_at IS NULL
