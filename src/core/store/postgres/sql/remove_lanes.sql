DELETE FROM workflow_queue_lanes WHERE queue = $1
