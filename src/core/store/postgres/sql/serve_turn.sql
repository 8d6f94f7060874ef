INSERT INTO workflow_queue_lanes (queue, priority, turn) VALUES ($1, $2, $3)
ON CONFLICT (queue, priority) DO UPDATE SET turn = greatest(workflow_queue_lanes.turn, excluded.turn)
