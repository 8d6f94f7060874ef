SELECT 1 FROM workflow_messages WHERE run_id = ?1 AND dedupe_key = ?2
