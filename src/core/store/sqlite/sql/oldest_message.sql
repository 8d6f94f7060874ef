-- The oldest unread message of a topic that this organization's run may read.
SELECT id, payload
FROM workflow_messages
WHERE run_id = ?1 AND topic = ?2 AND read_at IS NULL AND organization_id IS ?3
    AND (expires_at IS NULL OR expires_at > ?4)
ORDER BY id
LIMIT 1
