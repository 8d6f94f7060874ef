-- A run that could not start for a reason that is not its own: due again at that time. Its status was read
-- in this transaction.
UPDATE workflow_runs SET wake_at = ?2, turn = NULL WHERE id = ?1
