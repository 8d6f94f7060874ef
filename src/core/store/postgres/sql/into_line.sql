-- A run that is due comes into line.
UPDATE workflow_runs SET turn = $2 WHERE id = $1
