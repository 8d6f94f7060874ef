-- Numbers for new runs. In a transaction of its own, so that nobody waits for a batch to commit.
UPDATE belay_meta SET value = value + $1::bigint WHERE key = 'run_number' RETURNING value
