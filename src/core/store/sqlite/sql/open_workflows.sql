-- Jumps from one key to the next in each partial index, so that it costs the same however many runs of one
-- workflow sleep.
WITH RECURSIVE
    due (key) AS (
        SELECT (SELECT min(workflow_key) FROM workflow_runs WHERE status IN ('queued', 'waiting'))
        UNION ALL
        SELECT (SELECT min(workflow_key)
                FROM workflow_runs
                WHERE status IN ('queued', 'waiting') AND workflow_key > due.key)
        FROM due
        WHERE due.key IS NOT NULL),
    running (key) AS (
        SELECT (SELECT min(workflow_key) FROM workflow_runs WHERE status = 'running')
        UNION ALL
        SELECT (SELECT min(workflow_key)
                FROM workflow_runs
                WHERE status = 'running' AND workflow_key > running.key)
        FROM running
        WHERE running.key IS NOT NULL)
SELECT key FROM due WHERE key IS NOT NULL
UNION
SELECT key FROM running WHERE key IS NOT NULL
ORDER BY 1
