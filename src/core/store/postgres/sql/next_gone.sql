-- One of the runs whose stages are still to go.
SELECT workflow_run_id FROM workflow_runs_gone LIMIT 1
