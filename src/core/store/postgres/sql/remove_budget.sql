-- What was spent stays: it may be set again.
DELETE FROM workflow_budgets WHERE set_by = $1 AND name = $2
