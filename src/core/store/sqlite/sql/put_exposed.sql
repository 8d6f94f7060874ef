-- A value that a run exposes; what is said last stands.
INSERT INTO workflow_exposed (workflow_run_id, name, value, said_at)
VALUES (?1, ?2, ?3, ?4)
ON CONFLICT (workflow_run_id, name) DO UPDATE SET value = excluded.value, said_at = excluded.said_at
