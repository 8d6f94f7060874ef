UPDATE belay_meta SET value = value + 1 WHERE key = 'session'
