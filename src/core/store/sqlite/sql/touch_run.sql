UPDATE workflow_runs SET current_stage = ?2, updated_at = ?3 WHERE id = ?1
