-- One sum; whoever writes it has read it under the lock on all of them.
INSERT INTO workflow_spending (kind, period, owner, name, amount)
VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (kind, period, owner, name) DO UPDATE SET amount = excluded.amount
