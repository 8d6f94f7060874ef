-- Every file that a column names, each table by its own small index.
SELECT output FROM workflow_stage_runs WHERE output >= 'blob:' AND output < 'blob;'
UNION ALL
SELECT input FROM workflow_runs WHERE input >= 'blob:' AND input < 'blob;'
UNION ALL
SELECT result FROM workflow_runs WHERE result >= 'blob:' AND result < 'blob;'
UNION ALL
SELECT output FROM workflow_step_cache WHERE output >= 'blob:' AND output < 'blob;'
