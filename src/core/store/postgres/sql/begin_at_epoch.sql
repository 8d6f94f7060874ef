UPDATE workflow_runs SET epoch = $2 WHERE id = $1
