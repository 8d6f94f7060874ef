-- The sums of deleted runs of a day.
SELECT sums FROM workflow_ledger WHERE day = ?1 AND workflow_key = ?2 AND organization_id = ?3
