SELECT ok, answer FROM control_requests WHERE id = ?1 AND answered_at IS NOT NULL
