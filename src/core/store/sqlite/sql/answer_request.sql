UPDATE control_requests
SET answered_at = ?2, ok = ?3, answer = ?4
WHERE id = ?1 AND answered_at IS NULL
