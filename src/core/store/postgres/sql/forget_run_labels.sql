-- All labels of a run that is gone.
DELETE FROM workflow_labels WHERE workflow_run_id = $1
