-- What it did stays as it is, whatever becomes of it.
UPDATE workflow_runs SET undo = 2 WHERE id = $1
