-- The workers that hold runs and are not known to be alive, one index probe each. $1 is the one that asks,
-- $2 the lease, $3 whether this connection is old enough to judge. Nobody is judged within one lease of a
-- restart of the server, in which nobody could beat (rule 6).
WITH RECURSIVE holder (name) AS (
    (SELECT worker FROM workflow_runs WHERE status = 'running' ORDER BY worker LIMIT 1)
    UNION ALL
    SELECT (SELECT run.worker FROM workflow_runs AS run
            WHERE run.status = 'running' AND run.worker > holder.name
            ORDER BY run.worker LIMIT 1)
    FROM holder
    WHERE holder.name IS NOT NULL
)
SELECT holder.name
FROM holder
LEFT JOIN belay_workers AS worker ON worker.name = holder.name
WHERE holder.name IS NOT NULL AND holder.name <> $1
    AND (coalesce(worker.expires_at, 0) = 0
         OR (worker.expires_at <= (extract(epoch FROM clock_timestamp()) * 1000)::bigint
             AND clock_timestamp() > pg_postmaster_start_time() + $2::bigint * interval '1 millisecond'
             AND $3::bigint <> 0))
