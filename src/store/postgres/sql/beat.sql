-- This worker lives on. Tells what time it is here, and when the next of the others will have been dead for
-- long enough, in milliseconds from now; nothing if there is no other.
INSERT INTO belay_workers AS mine (name, expires_at, started_at)
VALUES ($1, (extract(epoch FROM clock_timestamp()) * 1000)::bigint + $2::bigint,
        (extract(epoch FROM clock_timestamp()) * 1000)::bigint)
ON CONFLICT (name) DO UPDATE SET expires_at = excluded.expires_at
RETURNING (extract(epoch FROM clock_timestamp()) * 1000)::bigint,
    (SELECT min(other.expires_at) - (extract(epoch FROM clock_timestamp()) * 1000)::bigint
     FROM belay_workers AS other
     WHERE other.name <> $1 AND other.expires_at > 0)
