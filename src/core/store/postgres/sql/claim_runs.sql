-- The epoch rises with every claim: whoever held a run before is refused from now on (P5). The recovery is
-- counted before the run runs. The rows were locked in this transaction.
UPDATE workflow_runs AS run
SET status = 'running',
    worker = $3,
    epoch = run.epoch + 1,
    recoveries = taken.recoveries,
    wake_at = NULL,
    turn = NULL,
    let_in = run.attempts,
    started_at = coalesce(run.started_at, $4::bigint),
    updated_at = $4::bigint
FROM unnest($1::bigint[], $2::bigint[]) AS taken (id, recoveries)
WHERE run.id = taken.id
