INSERT OR REPLACE INTO workflow_queues (
    name, concurrency, concurrency_per_worker, rate_starts, rate_period, is_paused, pause_reason, declared,
    created_at, updated_at)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
