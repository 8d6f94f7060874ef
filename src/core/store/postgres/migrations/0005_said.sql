-- 0005 — said: what runs say of themselves: labels to be found by, and values that others may read (docs/labels.md).
--
-- Rows of their own: a run that says nothing costs nothing.

CREATE TABLE workflow_labels (
    workflow_run_id bigint NOT NULL,
    name text COLLATE "C" NOT NULL,
    value text COLLATE "C" NOT NULL,
    PRIMARY KEY (workflow_run_id, name)
);
CREATE INDEX workflow_labels_found ON workflow_labels (name, value, workflow_run_id);

CREATE TABLE workflow_exposed (
    workflow_run_id bigint NOT NULL,
    name text COLLATE "C" NOT NULL,
    value text NOT NULL,
    said_at bigint NOT NULL,
    PRIMARY KEY (workflow_run_id, name)
);
