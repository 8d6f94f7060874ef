-- 0007 — said: what runs say of themselves: labels to be found by, and values that others may read (docs/labels.md).
--
-- Rows of their own: a run that says nothing costs nothing.

CREATE TABLE workflow_labels (
    workflow_run_id INTEGER NOT NULL,
    name TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (workflow_run_id, name)
) STRICT, WITHOUT ROWID;
CREATE INDEX workflow_labels_found ON workflow_labels (name, value, workflow_run_id);

CREATE TABLE workflow_exposed (
    workflow_run_id INTEGER NOT NULL,
    name TEXT NOT NULL,
    value TEXT NOT NULL,
    said_at INTEGER NOT NULL,
    PRIMARY KEY (workflow_run_id, name)
) STRICT, WITHOUT ROWID;
