-- What a run could receive now.
SELECT DISTINCT message.topic
FROM workflow_messages AS message
JOIN workflow_runs AS run ON run.public_id = message.run_id
WHERE run.id = $1 AND message.read_at IS NULL
