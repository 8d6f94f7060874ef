-- Unused, and nobody has taken any since.
UPDATE belay_meta SET value = $1::bigint WHERE key = 'run_number' AND value = $2::bigint
