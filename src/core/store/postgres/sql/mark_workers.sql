-- Runs are taken from these workers, whose rows are locked: what they know of their runs counts no more.
UPDATE belay_workers SET mark = gen_random_uuid() WHERE name = ANY($1::text[]) RETURNING mark
