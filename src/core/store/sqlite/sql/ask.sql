INSERT INTO control_requests (kind, run_id, payload, created_at) VALUES (?1, ?2, ?3, ?4)
