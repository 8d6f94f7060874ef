-- running → queued with a fresh history. Its input stays: it is known by it (P3).
UPDATE workflow_runs
SET status = 'queued',
    current_stage = 'queued',
    generation = generation + 1,
    continued_input = ?4,
    recoveries = 0,
    charges = 0,
    wake_at = NULL,
    undo = NULL,  -- what it did before is forgotten
    updated_at = ?3
WHERE id = ?1 AND epoch = ?2 AND status = 'running'
