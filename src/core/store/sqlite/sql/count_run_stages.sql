-- How much work a run did: for the ledger, and for whether it goes in one commit.
SELECT
    count(*),
    coalesce(sum(kind IN ('step', 'transaction') AND status = 'succeeded'), 0),
    coalesce(sum(CASE WHEN kind IN ('step', 'transaction') AND status = 'succeeded'
                      THEN max(0, finished_at - started_at) END), 0)
FROM workflow_stage_runs WHERE workflow_run_id = ?1
