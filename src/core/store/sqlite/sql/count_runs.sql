-- Counts what the partial indexes hold; succeeded is the rest, so that the table itself is not read.
SELECT status, count(*) FROM workflow_runs WHERE status IN ('queued', 'waiting') GROUP BY status
UNION ALL
SELECT 'running', count(*) FROM workflow_runs WHERE status = 'running'
UNION ALL
SELECT 'paused', count(*) FROM workflow_runs WHERE status = 'paused'
UNION ALL
SELECT 'failed', count(*) FROM workflow_runs WHERE status = 'failed'
UNION ALL
SELECT 'canceled', count(*) FROM workflow_runs WHERE status = 'canceled'
UNION ALL
SELECT 'all', count(*) FROM workflow_runs
UNION ALL
SELECT 'stalled', count(*)
FROM workflow_runs INDEXED BY workflow_runs_stalled
WHERE stall_reason IS NOT NULL AND NOT (status = 'succeeded' OR status = 'failed' OR status = 'canceled')
