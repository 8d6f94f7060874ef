-- One for each stage; the newer replaces it.
INSERT INTO workflow_reservations (workflow_run_id, path, day, organization_id, workflow_key, at_most, cost_before, asked)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
ON CONFLICT (workflow_run_id, path) DO UPDATE SET
    day = excluded.day, at_most = excluded.at_most, cost_before = excluded.cost_before, asked = excluded.asked
