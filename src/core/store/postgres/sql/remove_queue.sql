DELETE FROM workflow_queues WHERE name = $1
