SELECT 1 FROM workflow_messages WHERE topic = $1 LIMIT 1
