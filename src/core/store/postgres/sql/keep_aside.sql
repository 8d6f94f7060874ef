-- It does not fit what the code wanted: nobody reads it, and its payload and the reason stay to be seen.
UPDATE workflow_messages SET read_at = $2, misfit = $3 WHERE id = $1 AND read_at IS NULL
