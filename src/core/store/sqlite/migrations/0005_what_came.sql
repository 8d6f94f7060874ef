-- A run that has ended stays with those who await it until they have recorded it, so that they can ask which of
-- many it was.
ALTER TABLE workflow_waiters ADD COLUMN came INTEGER NOT NULL DEFAULT 0;
CREATE INDEX workflow_waiters_came ON workflow_waiters (waiter_id) WHERE came;

-- Why a message was kept aside: it does not fit what the code wanted. Its payload stays.
ALTER TABLE workflow_messages ADD COLUMN misfit TEXT;
