-- A schedule whose runs wait in this queue: with one it is not removed.
SELECT name FROM workflow_schedules WHERE queue = ?1 LIMIT 1
