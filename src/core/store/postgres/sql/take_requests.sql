-- Requests without an answer that nobody else, who is alive, has taken; not questions to a run (open_questions.sql).
UPDATE control_requests AS request
SET taken_by = $2
FROM (
    SELECT id
    FROM control_requests AS waiting
    WHERE answered_at IS NULL AND kind <> 'ask'
        AND (taken_by IS NULL OR taken_by = $2
             OR NOT EXISTS (SELECT 1
                            FROM belay_workers AS worker
                            WHERE worker.name = waiting.taken_by
                                AND worker.expires_at > (extract(epoch FROM clock_timestamp()) * 1000)::bigint))
    ORDER BY id
    LIMIT $1
    FOR UPDATE SKIP LOCKED
) AS open
WHERE request.id = open.id
RETURNING request.id, request.kind, request.run_id, request.payload, request.created_at
