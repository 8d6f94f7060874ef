UPDATE workflow_runs SET charges = charges + 1 WHERE id = $1
