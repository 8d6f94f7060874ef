INSERT OR REPLACE INTO workflow_schedules (
    name, workflow_key, cron, zone, input, organization_id, catch_up, catch_up_max, overlap, is_paused, jitter,
    start_at, end_at, queue, priority, declared, version, handled_until, buffered_tick, last_tick, last_run_id,
    fired, lost, created_at, updated_at)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24,
    ?25)
