-- A queue as model::Queue has it; code adds the WHERE.
SELECT name, concurrency, concurrency_per_worker, rate_starts, rate_period, is_paused, pause_reason, declared,
    created_at, updated_at
FROM workflow_queues
