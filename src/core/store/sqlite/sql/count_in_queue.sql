-- How many runs of a queue are running: everywhere, and in one worker. In the claim's transaction, so that
-- limits are exact (rule 9).
SELECT
    (SELECT count(*) FROM workflow_runs
     WHERE queue = ?1 AND status = 'running' AND completed_at IS NULL),
    (SELECT count(*) FROM workflow_runs
     WHERE queue = ?1 AND status = 'running' AND worker = ?2 AND completed_at IS NULL)
