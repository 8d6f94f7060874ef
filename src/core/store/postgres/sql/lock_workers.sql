-- The right to write for what these workers hold; nobody can take a run from them until the commit (P5). With the mark
-- of each: what is read under this lock is as it is for as long as that stays.
SELECT name, mark FROM belay_workers WHERE name = ANY($1::text[]) ORDER BY name FOR KEY SHARE
