-- Of a run that is gone: what it spent itself, and what was approved for it. The days' sums stay.
DELETE FROM workflow_spending WHERE kind IN ('spent', 'raised') AND period = $1
