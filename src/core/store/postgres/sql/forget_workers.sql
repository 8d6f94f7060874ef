-- Workers that are gone for an hour and hold nothing. What such a one still writes meets runs that are not
-- its own any more.
DELETE FROM belay_workers AS worker
WHERE name IN (
    SELECT name
    FROM belay_workers AS gone
    WHERE expires_at < (extract(epoch FROM clock_timestamp()) * 1000)::bigint - 3600000
        AND started_at < (extract(epoch FROM clock_timestamp()) * 1000)::bigint - 3600000
        AND NOT EXISTS (SELECT 1 FROM workflow_runs AS run WHERE run.status = 'running' AND run.worker = gone.name)
    FOR UPDATE SKIP LOCKED)
