-- Two senders of one dedupe key: the second changes nothing.
INSERT INTO workflow_messages (
    run_id, topic, payload, organization_id, dedupe_key, created_at, expires_at)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
ON CONFLICT (run_id, dedupe_key) WHERE dedupe_key IS NOT NULL DO NOTHING
