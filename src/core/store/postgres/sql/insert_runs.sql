-- insert_run.sql for many whose ids were looked for a moment ago. One that came to be since then, by another worker, is an
-- error, and the batch is done again: it joins that run (P3).
INSERT INTO workflow_runs (
    id, public_id, workflow_key, input, organization_id, source_channel, file_id, content_hash,
    code_version, created_at, updated_at, wake_at, status, worker, epoch, started_at,
    parent_id, parent_path, deadline_at, forked_from, seed_id, queue, priority, partition_key, dedupe_id,
    turn, schedule)
SELECT
    unnest($1::bigint[]), unnest($2::text[]), unnest($3::text[]), unnest($4::text[]), unnest($5::text[]),
    unnest($6::text[]), unnest($7::text[]), unnest($8::text[]),
    unnest($9::text[]), $17::bigint, $17::bigint, unnest($10::bigint[]), unnest($11::text[]), unnest($12::text[]),
    unnest($13::bigint[]), unnest($14::bigint[]),
    unnest($15::bigint[]), unnest($16::text[]), unnest($18::bigint[]), unnest($19::text[]), unnest($20::text[]),
    unnest($21::text[]), unnest($22::bigint[]), unnest($23::text[]), unnest($24::text[]),
    unnest($25::bigint[]), unnest($26::text[])
