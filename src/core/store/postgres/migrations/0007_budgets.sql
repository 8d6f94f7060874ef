-- 0007 — budgets: how much may be paid, what is kept free for calls under way, and what was spent (docs/budgets.md).
--
-- Rows of their own: a program whose steps do not say what they cost writes none.

CREATE TABLE workflow_budgets (
    set_by text COLLATE "C" NOT NULL,
    name text COLLATE "C" NOT NULL,
    budget text COLLATE "C" NOT NULL,
    declared text COLLATE "C" NOT NULL,
    PRIMARY KEY (set_by, name)
);

CREATE TABLE workflow_spending (
    kind text COLLATE "C" NOT NULL,
    period text COLLATE "C" NOT NULL,
    owner text COLLATE "C" NOT NULL,
    name text COLLATE "C" NOT NULL,
    amount text COLLATE "C" NOT NULL,
    PRIMARY KEY (kind, period, owner, name)
);

CREATE TABLE workflow_reservations (
    workflow_run_id bigint NOT NULL,
    path text COLLATE "C" NOT NULL,
    day text COLLATE "C" NOT NULL,
    organization_id text COLLATE "C" NOT NULL,
    workflow_key text COLLATE "C" NOT NULL,
    at_most text COLLATE "C" NOT NULL,
    cost_before text COLLATE "C" NOT NULL,
    asked bigint NOT NULL,
    PRIMARY KEY (workflow_run_id, path)
);
CREATE INDEX workflow_reservations_day ON workflow_reservations (day);
