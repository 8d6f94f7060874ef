-- Takes the right to take runs away from these workers: waits for nobody, and gives only those that are still
-- dead now that they are locked. From here to the commit such a worker cannot write (P5).
SELECT name
FROM belay_workers
WHERE name = ANY($1::text[])
    AND expires_at <= (extract(epoch FROM clock_timestamp()) * 1000)::bigint
ORDER BY name
FOR UPDATE SKIP LOCKED
