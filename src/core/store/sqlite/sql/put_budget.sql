-- Sets one, or another limit.
INSERT INTO workflow_budgets (set_by, name, budget, declared)
VALUES (?1, ?2, ?3, ?4)
ON CONFLICT (set_by, name) DO UPDATE SET budget = excluded.budget, declared = excluded.declared
