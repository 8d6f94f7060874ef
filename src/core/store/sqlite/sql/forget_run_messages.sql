-- All messages to a run that is gone.
DELETE FROM workflow_messages WHERE run_id = ?1
