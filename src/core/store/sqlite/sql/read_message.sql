-- Read once: its row stays for its dedupe key, its payload lives on in the record of the receive.
UPDATE workflow_messages SET read_at = ?2, payload = NULL WHERE id = ?1 AND read_at IS NULL
