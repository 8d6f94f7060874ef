-- This worker lives on. Tells what time it is here, and when the next of the others will have been dead for
-- long enough, in milliseconds from now; nothing if there is no other. One whose lease had run out may have lost runs
-- to someone who did not leave a mark.
INSERT INTO belay_workers AS mine (name, expires_at, started_at)
VALUES ($1, (extract(epoch FROM clock_timestamp()) * 1000)::bigint + $2::bigint,
        (extract(epoch FROM clock_timestamp()) * 1000)::bigint)
ON CONFLICT (name) DO UPDATE
SET expires_at = excluded.expires_at,
    mark = CASE WHEN mine.expires_at > excluded.started_at THEN mine.mark ELSE gen_random_uuid() END
RETURNING (extract(epoch FROM clock_timestamp()) * 1000)::bigint,
    (SELECT min(other.expires_at) - (extract(epoch FROM clock_timestamp()) * 1000)::bigint
     FROM belay_workers AS other
     WHERE other.name <> $1 AND other.expires_at > 0)
