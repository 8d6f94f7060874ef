-- 0006 — undo: runs that take back what their steps did (docs/undo.md).
--
-- `undo` is null for most runs, 1 when a step that has an undo may have happened, 2 when somebody wants what the run did
-- left as it is. `undo_plan` is there from the moment at which it is undone: how it ends, why, and the steps in order.

ALTER TABLE workflow_runs ADD COLUMN undo smallint;
ALTER TABLE workflow_runs ADD COLUMN undo_plan text;
