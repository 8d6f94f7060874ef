DELETE FROM workflow_workers WHERE name <> ?1
