INSERT INTO workflow_stage_attempts (
    workflow_run_id, path, attempt, started_at, finished_at, error_code, message, worker)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
