-- Whoever ends a run tells each of those who wait for it, once. It stays with them until they have recorded it.
UPDATE workflow_waiters SET came = 1 WHERE workflow_run_id = ?1 AND NOT came RETURNING waiter_id, path
