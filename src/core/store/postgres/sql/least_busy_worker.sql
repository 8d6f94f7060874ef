-- The fewest runs of a queue that a worker which has any is running.
SELECT min(n)
FROM (SELECT count(*) AS n
      FROM workflow_runs
      WHERE queue = $1 AND status = 'running' AND completed_at IS NULL
      GROUP BY worker) AS busy
