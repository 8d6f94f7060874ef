-- What one of its steps does may have to be undone from now on; somebody may have said already that it is not.
UPDATE workflow_runs SET undo = 1 WHERE id = ?1 AND undo IS NULL
