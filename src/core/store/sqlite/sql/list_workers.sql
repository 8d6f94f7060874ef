SELECT name, workflow_keys, code_version, compatible_versions, since FROM workflow_workers ORDER BY name
