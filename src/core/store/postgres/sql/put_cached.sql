-- An answer for other runs, in the commit of the record that has it. Of two that were worked out beside each
-- other the later stays; both are answers to the same key.
INSERT INTO workflow_step_cache (key, output, cost, created_at, expires_at)
VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (key) DO UPDATE SET
    output = excluded.output,
    cost = excluded.cost,
    created_at = excluded.created_at,
    expires_at = excluded.expires_at
