UPDATE workflow_runs SET is_awaited = true WHERE id = $1 AND NOT is_awaited
