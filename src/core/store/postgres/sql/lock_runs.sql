-- The rows that this batch will change, locked in one order by everyone, so that two batches do not wait for
-- each other in a circle (rule 6): runs by number, by public id, and those who wait for the end of some.
SELECT id
FROM workflow_runs
WHERE id = ANY(ARRAY(
    SELECT unnest($1::bigint[])
    UNION
    SELECT id FROM workflow_runs WHERE public_id = ANY($2::text[])
    UNION
    SELECT waiter_id FROM workflow_waiters WHERE workflow_run_id = ANY($3::bigint[]) AND NOT came))
ORDER BY id
FOR NO KEY UPDATE
