-- What a run awaits and that has ended: as many rows as there is news, however many it awaits.
DELETE FROM workflow_waiters WHERE waiter_id = ?1 AND came RETURNING path
