-- Every commit has a number, one above the last: an older copy of the file can be told (commit_mark.hpp).
UPDATE belay_meta SET value = ?1 WHERE key = 'commits'
