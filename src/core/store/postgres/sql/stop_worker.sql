UPDATE belay_workers SET expires_at = 0 WHERE name = $1
