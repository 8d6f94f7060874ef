-- insert_run.sql for many whose ids were looked for a moment ago. One that came to be since then, by another worker, is an
-- error, and the batch is done again: it joins that run (P3).
INSERT INTO workflow_runs (
    id, public_id, workflow_key, input, organization_id, source_channel, file_id, content_hash,
    code_version, created_at, updated_at, wake_at, status, worker, epoch, started_at,
    parent_id, parent_path, deadline_at, forked_from, seed_id, queue, priority, partition_key, dedupe_id,
    turn, schedule)
SELECT
    id, public_id, workflow_key, input, organization_id, source_channel, file_id, content_hash,
    code_version, $17::bigint, $17::bigint, wake_at, status, worker, epoch, started_at,
    parent_id, parent_path, deadline_at, forked_from, seed_id, queue, priority, partition_key, dedupe_id,
    turn, schedule
FROM unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[],
            $9::text[], $10::bigint[], $11::text[], $12::text[], $13::bigint[], $14::bigint[],
            $15::bigint[], $16::text[], $18::bigint[], $19::text[], $20::text[], $21::text[], $22::bigint[],
            $23::text[], $24::text[], $25::bigint[], $26::text[])
    AS new (id, public_id, workflow_key, input, organization_id, source_channel, file_id, content_hash,
            code_version, wake_at, status, worker, epoch, started_at, parent_id, parent_path, deadline_at,
            forked_from, seed_id, queue, priority, partition_key, dedupe_id, turn, schedule)
