-- Nobody has taken a run from this worker since it knew this mark, and nobody can until the commit (P5); else an error,
-- a division by zero, with which the whole transaction fails.
SELECT 1 / count(*)
FROM (SELECT name
      FROM belay_workers
      WHERE name = $1 AND mark = $2::uuid
          AND expires_at > (extract(epoch FROM clock_timestamp()) * 1000)::bigint
      FOR KEY SHARE) AS mine
