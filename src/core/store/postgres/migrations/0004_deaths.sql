-- 0004 — deaths: which runs were in the hands of a worker that died, and whose code was executing (docs/deaths.md).
--
-- A recovery is only a count for people. What makes a suspect of a run are its charges: deaths since its last new
-- checkpoint in which its own code was executing. Hence they take the place of the recoveries in the indexes of claims.

ALTER TABLE workflow_runs ADD COLUMN charges bigint NOT NULL DEFAULT 0;

DROP INDEX workflow_runs_suspects;
CREATE INDEX workflow_runs_suspects ON workflow_runs (workflow_key, coalesce(wake_at, created_at), id)
    WHERE status IN ('queued', 'waiting') AND charges >= 2;
DROP INDEX workflow_runs_running;
CREATE INDEX workflow_runs_running ON workflow_runs (worker, workflow_key, charges, id)
    WHERE status = 'running';
-- Those that may have sat a death out, wherever they are.
CREATE INDEX workflow_runs_charged ON workflow_runs (id) WHERE charges >= 2;

CREATE TABLE run_deaths (
    workflow_run_id bigint NOT NULL,
    epoch bigint NOT NULL,
    worker text COLLATE "C" NOT NULL,
    last_seen bigint NOT NULL,
    picked_up_by text NOT NULL DEFAULT '',
    picked_up_at bigint,
    stage text NOT NULL DEFAULT '',
    charged bigint NOT NULL DEFAULT 0,
    reason text NOT NULL DEFAULT 'unknown' CHECK (reason IN ('unknown', 'killed', 'signal')),
    PRIMARY KEY (workflow_run_id, epoch, worker)
);
CREATE INDEX run_deaths_unknown ON run_deaths (worker) WHERE reason = 'unknown';
