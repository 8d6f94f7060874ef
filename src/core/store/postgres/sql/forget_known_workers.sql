-- Those that are gone.
DELETE FROM workflow_workers AS known
WHERE NOT EXISTS (SELECT 1
                  FROM belay_workers AS worker
                  WHERE worker.name = known.name
                      AND worker.expires_at > (extract(epoch FROM clock_timestamp()) * 1000)::bigint)
