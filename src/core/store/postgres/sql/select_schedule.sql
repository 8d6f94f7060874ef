-- A schedule as model::StoredSchedule has it; code adds the WHERE.
SELECT name, workflow_key, cron, zone, input, organization_id, catch_up, catch_up_max, overlap, is_paused, jitter,
    start_at, end_at, queue, priority, declared, version, handled_until, buffered_tick, last_tick, last_run_id,
    fired, lost, created_at, updated_at
FROM workflow_schedules
