-- Runs whose time has come and that are no suspects, of each workflow in the order they became due. Rows that
-- another worker is claiming at this moment are skipped, so that workers never wait for each other here.
SELECT due.*
FROM unnest($1::text[]) AS key (workflow_key)
CROSS JOIN LATERAL (
    SELECT run.id, coalesce(run.wake_at, run.created_at) AS due_at, run.charges, run.queue, run.cancel_requested
    FROM workflow_runs AS run
    WHERE run.status IN ('queued', 'waiting') AND run.workflow_key = key.workflow_key AND run.turn IS NULL
        AND coalesce(run.wake_at, run.created_at) <= $2 AND run.charges < 2
        AND ($4::text[] IS NULL OR run.code_version IS NULL OR run.code_version LIKE ANY($4::text[]))
    ORDER BY coalesce(run.wake_at, run.created_at), run.id
    LIMIT $3
    FOR NO KEY UPDATE SKIP LOCKED
) AS due
