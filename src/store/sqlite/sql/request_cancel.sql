UPDATE workflow_runs SET cancel_requested = 1, updated_at = ?2 WHERE id = ?1 AND status = 'running'
