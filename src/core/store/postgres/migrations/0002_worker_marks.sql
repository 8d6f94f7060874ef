-- 0002 — the mark of a worker: the same for as long as nobody has taken a run from it.
--
-- A batch whose worker's mark is the one that it knows needs to read nothing first: every epoch is what it was
-- (docs/internals/leases.md). A mark never comes again, not even for a worker of the same name whose row was removed
-- meanwhile. One that an older program's beat leaves alone is still safe: such a worker's lease had run out.
ALTER TABLE belay_workers ADD COLUMN mark uuid NOT NULL DEFAULT gen_random_uuid();
