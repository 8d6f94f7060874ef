-- In the commit of a message for a run that is not there: its sender has to signal it once more.
UPDATE workflow_messages SET late = true WHERE run_id = $1 AND read_at IS NULL AND NOT late
