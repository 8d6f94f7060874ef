-- 0006 — deaths: which runs were in the hands of a worker that died, and whose code was executing (docs/deaths.md).
--
-- A recovery is only a count for people. What makes a suspect of a run are its charges: deaths since its last new
-- checkpoint in which its own code was executing. Hence they take the place of the recoveries in the index of claims.

ALTER TABLE workflow_runs ADD COLUMN charges INTEGER NOT NULL DEFAULT 0;

DROP INDEX workflow_runs_running;
CREATE INDEX workflow_runs_running ON workflow_runs (workflow_key, worker, charges)
    WHERE status = 'running';
-- The few that may be what kills their workers.
CREATE INDEX workflow_runs_suspects ON workflow_runs (charges) WHERE charges >= 2;

CREATE TABLE run_deaths (
    workflow_run_id INTEGER NOT NULL,
    epoch INTEGER NOT NULL,
    worker TEXT NOT NULL,
    last_seen INTEGER NOT NULL,
    picked_up_by TEXT NOT NULL DEFAULT '',
    picked_up_at INTEGER,
    stage TEXT NOT NULL DEFAULT '',
    charged INTEGER NOT NULL DEFAULT 0,
    reason TEXT NOT NULL DEFAULT 'unknown' CHECK (reason IN ('unknown', 'killed', 'signal')),
    PRIMARY KEY (workflow_run_id, epoch, worker)
) STRICT, WITHOUT ROWID;
CREATE INDEX run_deaths_unknown ON run_deaths (worker) WHERE reason = 'unknown';

-- The number of the newest commit: what was acknowledged is known beside the database, too (commit_mark.hpp).
INSERT INTO belay_meta (key, value) VALUES ('commits', 0);
