-- The row of a run that is over; its stages and the rest go with statements of their own.
DELETE FROM workflow_runs WHERE id = $1
