SELECT name, value
FROM workflow_exposed
WHERE workflow_run_id = ?1
