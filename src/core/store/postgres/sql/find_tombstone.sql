-- Whether an id was a run's that is gone, and what is known of it.
SELECT workflow_key, organization_id, status, input_hash, completed_at
FROM workflow_tombstones WHERE public_id = $1
