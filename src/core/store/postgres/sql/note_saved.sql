-- What checkpoints saved a run, by whoever holds it.
UPDATE workflow_runs SET saved = $2 WHERE id = $1
