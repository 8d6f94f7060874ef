SELECT count(*) FROM workflow_messages WHERE run_id = $1 AND read_at IS NULL
