-- A label of a run; what is said last stands.
INSERT INTO workflow_labels (workflow_run_id, name, value)
VALUES ($1, $2, $3)
ON CONFLICT (workflow_run_id, name) DO UPDATE SET value = excluded.value
