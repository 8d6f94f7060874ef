-- The right to write for what these workers hold; nobody can take a run from them until the commit (P5).
SELECT name FROM belay_workers WHERE name = ANY($1::text[]) ORDER BY name FOR KEY SHARE
