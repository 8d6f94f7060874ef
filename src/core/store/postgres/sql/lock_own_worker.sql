-- Waits until whatever this worker has under way on an older connection is over.
SELECT name FROM belay_workers WHERE name = $1 FOR UPDATE
