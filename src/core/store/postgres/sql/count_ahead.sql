-- Who goes before a run that stands in line: $2 is 0 if it has begun, then priority, turn and number.
SELECT count(*)
FROM workflow_runs
WHERE queue = $1 AND turn IS NOT NULL AND status IN ('queued', 'waiting')
    AND ((turn > 0)::int < $2
         OR ((turn > 0)::int = $2
             AND (priority > $3 OR (priority = $3 AND (turn < $4 OR (turn = $4 AND id < $5))))))
