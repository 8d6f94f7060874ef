DELETE FROM control_requests WHERE answered_at < $1
