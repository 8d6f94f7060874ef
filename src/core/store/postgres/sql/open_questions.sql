-- Questions to runs without an answer: every worker reads them, and the one that has the run answers.
SELECT id, kind, run_id, payload, created_at
FROM control_requests
WHERE answered_at IS NULL AND kind = 'ask' AND created_at >= $1
ORDER BY id
LIMIT 1000
