INSERT INTO workflow_workers (name, workflow_keys, code_version, compatible_versions, since)
VALUES (?1, ?2, ?3, ?4, ?5)
ON CONFLICT (name) DO UPDATE
SET workflow_keys = excluded.workflow_keys,
    code_version = excluded.code_version,
    compatible_versions = excluded.compatible_versions
