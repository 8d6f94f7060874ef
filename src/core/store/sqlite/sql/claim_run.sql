-- The epoch rises with every claim: whoever held the run before is refused from now on (P5). The
-- recovery is counted before the run runs. That it may be claimed was read in this transaction.
UPDATE workflow_runs
SET status = 'running',
    worker = ?2,
    epoch = epoch + 1,
    recoveries = ?3,
    wake_at = NULL,
    turn = NULL,
    let_in = attempts,
    started_at = coalesce(started_at, ?4),
    updated_at = ?4
WHERE id = ?1
