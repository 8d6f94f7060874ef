SELECT id, kind, run_id, payload, created_at
FROM control_requests
WHERE answered_at IS NULL
ORDER BY id
LIMIT ?1
