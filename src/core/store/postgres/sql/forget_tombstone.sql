-- A failed run that is asked for again, to be run again, begins anew.
DELETE FROM workflow_tombstones WHERE public_id = $1
