SELECT EXISTS (SELECT 1 FROM workflow_runs WHERE status = 'running' AND worker = $1 AND workflow_key = $2)
