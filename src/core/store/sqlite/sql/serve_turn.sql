INSERT INTO workflow_queue_lanes (queue, priority, turn) VALUES (?1, ?2, ?3)
ON CONFLICT (queue, priority) DO UPDATE SET turn = max(turn, excluded.turn)
