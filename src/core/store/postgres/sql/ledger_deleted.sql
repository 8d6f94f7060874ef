-- The sums of those that were deleted since.
SELECT day, workflow_key, organization_id, sums FROM workflow_ledger
WHERE day >= $1 AND day < $2
    AND ($3::text = '' OR workflow_key = $3) AND ($4::text = '' OR organization_id = $4)
