INSERT INTO workflow_queue_starts (queue, counted_at, starts) VALUES (?1, ?2, 1)
ON CONFLICT (queue, counted_at) DO UPDATE SET starts = starts + 1
