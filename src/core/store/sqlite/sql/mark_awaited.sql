UPDATE workflow_runs SET is_awaited = 1 WHERE id = ?1 AND NOT is_awaited
