-- One sum.
SELECT amount FROM workflow_spending WHERE kind = ?1 AND period = ?2 AND owner = ?3 AND name = ?4
