-- The sums of deleted runs of a day, with one more.
INSERT INTO workflow_ledger (day, workflow_key, organization_id, sums) VALUES (?1, ?2, ?3, ?4)
ON CONFLICT (day, workflow_key, organization_id) DO UPDATE SET sums = excluded.sums
