-- running → waiting. A cancel, a pause or a signal that came meanwhile is in the same row: it wins.
UPDATE workflow_runs AS run
SET status = 'waiting',
    wake_at = waiting.wake_at,
    updated_at = $6::bigint,
    current_stage = coalesce(waiting.stage, run.current_stage)
FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::text[], $5::bigint[])
    AS waiting (id, epoch, wake_at, stage, signals)
WHERE run.id = waiting.id AND run.epoch = waiting.epoch AND run.status = 'running' AND NOT run.cancel_requested
    AND NOT run.pause_requested AND run.signals = waiting.signals
RETURNING run.id
