-- What was noted of a worker's death before its black box was found.
UPDATE run_deaths SET last_seen = ?2, reason = ?3 WHERE worker = ?1 AND reason = 'unknown'
