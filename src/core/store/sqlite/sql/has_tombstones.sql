-- A store without any need not look for one with every submission.
SELECT EXISTS (SELECT 1 FROM workflow_tombstones)
