-- The workers that are alive, by what their claims have said.
SELECT known.name, known.workflow_keys, known.code_version, known.compatible_versions, known.since
FROM workflow_workers AS known
JOIN belay_workers AS worker ON worker.name = known.name
WHERE worker.expires_at > (extract(epoch FROM clock_timestamp()) * 1000)::bigint
ORDER BY known.name
