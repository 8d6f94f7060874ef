-- 0009 — budgets: how much may be paid, what is kept free for calls under way, and what was spent (docs/budgets.md).
--
-- Rows of their own: a program whose steps do not say what they cost writes none.

CREATE TABLE workflow_budgets (
    set_by TEXT NOT NULL,
    name TEXT NOT NULL,
    budget TEXT NOT NULL,
    declared TEXT NOT NULL,
    PRIMARY KEY (set_by, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE workflow_spending (
    kind TEXT NOT NULL,
    period TEXT NOT NULL,
    owner TEXT NOT NULL,
    name TEXT NOT NULL,
    amount TEXT NOT NULL,
    PRIMARY KEY (kind, period, owner, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE workflow_reservations (
    workflow_run_id INTEGER NOT NULL,
    path TEXT NOT NULL,
    day TEXT NOT NULL,
    organization_id TEXT NOT NULL,
    workflow_key TEXT NOT NULL,
    at_most TEXT NOT NULL,
    cost_before TEXT NOT NULL,
    asked INTEGER NOT NULL,
    PRIMARY KEY (workflow_run_id, path)
) STRICT, WITHOUT ROWID;
CREATE INDEX workflow_reservations_day ON workflow_reservations (day);
