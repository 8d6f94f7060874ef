-- Who may write for a run. Read once per run and then kept while nobody else writes (run_cache.hpp).
SELECT epoch, status, recoveries, cancel_requested, pause_requested, signals,
    is_awaited
FROM workflow_runs
WHERE id = ?1
