-- Numbers of runs are never given twice, not even the last one's.
UPDATE belay_meta SET value = max(value, ?1) WHERE key = 'last_deleted_run'
