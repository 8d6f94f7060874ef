-- The last turn that a partition has in line, and the last that was served in its lane.
SELECT
    coalesce((SELECT max(turn)
              FROM workflow_runs
              WHERE turn IS NOT NULL AND status IN ('queued', 'waiting') AND queue = $1 AND priority = $2
                  AND partition_key = $3), 0),
    coalesce((SELECT turn FROM workflow_queue_lanes WHERE queue = $1 AND priority = $2), 0)
