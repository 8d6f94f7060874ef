INSERT INTO workflow_queues (
    name, concurrency, concurrency_per_worker, rate_starts, rate_period, is_paused, pause_reason, declared,
    created_at, updated_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
ON CONFLICT (name) DO UPDATE SET
    concurrency = excluded.concurrency,
    concurrency_per_worker = excluded.concurrency_per_worker,
    rate_starts = excluded.rate_starts,
    rate_period = excluded.rate_period,
    is_paused = excluded.is_paused,
    pause_reason = excluded.pause_reason,
    declared = excluded.declared,
    created_at = excluded.created_at,
    updated_at = excluded.updated_at
