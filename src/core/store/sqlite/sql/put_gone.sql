-- A run that is gone, whose stages are still to go.
INSERT INTO workflow_runs_gone (workflow_run_id) VALUES (?1) ON CONFLICT DO NOTHING
