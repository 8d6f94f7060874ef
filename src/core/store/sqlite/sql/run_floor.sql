-- The number above which the next run has to be, if the largest there is does not see to that.
SELECT value FROM belay_meta
WHERE key = 'last_deleted_run' AND value >= (SELECT coalesce(max(id), 0) FROM workflow_runs)
    AND value > 0
