-- Has to reach the disk: a full one is only noticed by writing.
UPDATE belay_meta SET value = value + 1 WHERE key = 'reopened'
