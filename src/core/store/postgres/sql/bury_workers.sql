-- So that there is a row to lock for each of them.
INSERT INTO belay_workers (name, expires_at, started_at)
SELECT name, 0, 0 FROM unnest($1::text[]) AS dead (name) ORDER BY name
ON CONFLICT (name) DO NOTHING
