-- A run that has ended stays with those who await it until they have recorded it, so that they can ask which of
-- many it was.
ALTER TABLE workflow_waiters ADD COLUMN came boolean NOT NULL DEFAULT false;
CREATE INDEX workflow_waiters_came ON workflow_waiters (waiter_id) WHERE came;

-- Why a message was kept aside: it does not fit what the code wanted. Its payload stays.
ALTER TABLE workflow_messages ADD COLUMN misfit text;

-- A message that was sent to a run that was not there yet: whoever sent it signals the run once more after the commit,
-- because the run may have come to be, and have looked, meanwhile. True until then.
ALTER TABLE workflow_messages ADD COLUMN late boolean NOT NULL DEFAULT false;
CREATE INDEX workflow_messages_late ON workflow_messages (created_at) WHERE late;
