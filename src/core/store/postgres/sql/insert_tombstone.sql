-- What is left of a run: its id stays taken (P3).
INSERT INTO workflow_tombstones (
    public_id, workflow_key, organization_id, status, input_hash, completed_at, deleted_at)
VALUES ($1, $2, $3, $4, $5, $6, $7)
ON CONFLICT (public_id) DO NOTHING
