DELETE FROM workflow_schedules WHERE name = $1
