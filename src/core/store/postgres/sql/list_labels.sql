SELECT workflow_run_id, name, value
FROM workflow_labels
WHERE workflow_run_id = ANY($1::bigint[])
