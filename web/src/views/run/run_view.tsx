// run_view.tsx — one run: what it is doing or did, why it waits, what it cost and what a crash did not cost.
import "./run.css";
import { useMemo, useState } from "react";
import { call } from "../../api/client";
import { useNow } from "../../parts/clock";
import { duration, since, time } from "../../parts/format";
import { CopyId } from "../../parts/copy_id";
import { Icon } from "../../parts/icon";
import { JsonView } from "../../parts/json_view";
import { Link } from "../../parts/link";
import { Empty, FailedPlacard, Loading } from "../../parts/placards";
import { State, isOver } from "../../parts/state";
import { useHelperWaits } from "../../state/helper";
import { useResource } from "../../state/resource";
import { useWord } from "../../state/router";
import { useTitle } from "../../state/title";
import { text } from "../../text";
import { Actions } from "./actions";
import { OverBudget } from "./budget";
import { Cost } from "./cost";
import { Crash } from "./crash";
import { deathsOf, type Death } from "./deaths";
import { ForkDialog } from "./fork_dialog";
import { Graph } from "./graph";
import { Photo } from "./photo";
import { StagePanel } from "./stage_panel";
import { Timeline } from "./timeline";
import { isTaken, workedOf, type Run } from "./timeline_model";
import { resultHref } from "./result_link";
import { kindName, useRunName } from "./run_name";
import { withWaits } from "./waited";

export default function RunView({ id }: { id: string }) {
  const [under_way, setUnderWay] = useState(true);
  const told = useResource(`run ${id}`, () => call("GET /api/runs/{id}", { path: { id } }), under_way ? 2000 : 0);
  const waits = useHelperWaits(told.value !== undefined && !isOver(told.value.status));
  const run = useMemo(() => (told.value ? withWaits(told.value, waits) : undefined), [told.value, waits]);
  const over = run ? isOver(run.status) : false;
  if (under_way === over && run) setUnderWay(!over);
  if (!run) {
    return told.failure ? <FailedPlacard failure={told.failure} again={told.reload} whole /> : <Loading title={text.run.one} height={40} />;
  }
  return <Shown run={run} />;
}

function Shown({ run }: { run: Run }) {
  const [selected, setSelected] = useWord("stage");
  const [as, setAs] = useWord("as");
  const stage = run.stages.find((one) => one.path === selected);
  const deaths = useMemo(() => deathsOf(run), [run]);
  const now = useNow(1000, !isOver(run.status));
  return (
    <div className="view">
      <Head run={run} />
      <Why run={run} deaths={deaths} />
      {deaths.length > 0 && <Crash run={run} deaths={deaths} now={now} />}
      <Photo run={run} />
      <Facts run={run} deaths={deaths} now={now} />
      {run.stages.length > 0 && (
        <div className="row run-as" role="group" aria-label={text.run.as.label}>
          {(["", "shape"] as const).map((one) => (
            <button key={one} className="button small" aria-pressed={as === one} onClick={() => setAs(one)}>
              <Icon name={one === "" ? "runs" : "fork"} size={15} /> {one === "" ? text.run.as.time : text.run.as.shape}
            </button>
          ))}
        </div>
      )}
      <div className="run-body" data-panel={stage !== undefined}>
        {run.stages.length > 0 && as === "shape" ? (
          <Graph run={run} deaths={deaths} selected={selected} onSelect={setSelected} />
        ) : run.stages.length > 0 ? (
          <Timeline run={run} deaths={deaths} selected={selected} onSelect={setSelected} />
        ) : (
          <div className="card">
            <Empty icon="runs" title={text.run.noStages}>
              {text.run.noStagesAdvice}
            </Empty>
          </div>
        )}
        {stage && <StagePanel run={run} stage={stage} deaths={deaths} onSelect={setSelected} onClose={() => setSelected("")} />}
      </div>
      {Object.keys(run.exposed ?? {}).length > 0 && (
        <section className="card panel">
          <h2>{text.run.exposed}</h2>
          <JsonView value={run.exposed} label={text.run.exposed} />
        </section>
      )}
      <div className="run-values">
        <section className="card panel">
          <h2>{text.run.input}</h2>
          <JsonView value={run.input} label={text.run.input} />
        </section>
        <section className="card panel">
          <h2>{text.run.result}</h2>
          {run.status === "succeeded" || run.result !== null ? <JsonView value={run.result} label={text.run.result} /> : <p className="muted">{text.run.noResult}</p>}
        </section>
      </div>
    </div>
  );
}

function Head({ run }: { run: Run }) {
  const [forking, setForking] = useState(false);
  const result = resultHref(run);
  const name = useRunName(run);
  useTitle(name);
  return (
    <header className="view-head">
      <div>
        <p className="small">
          <Link href="/runs" className="muted">
            {text.nav.runs}
          </Link>{" "}
          <span className="muted">/</span> <CopyId id={run.id} />
        </p>
        <h1 className="row wrap">
          <span className="run-title">{name}</span> <State status={run.stalled ? "stalled" : (run.state ?? run.status)} />
        </h1>
        <p className="muted">
          {kindName(run.workflow_key) !== run.workflow_key && kindName(run.workflow_key)} <span className="mono">{run.workflow_key}</span>
        </p>
        <Labels labels={(run.labels ?? {}) as Record<string, string>} />
      </div>
      <div className="row wrap">
        {result && (
          <Link className="button" href={result}>
            <Icon name="papers" size={16} /> {text.run.seeResult}
          </Link>
        )}
        <Actions id={run.id} status={run.status} />
        <button className="button" onClick={() => setForking(true)}>
          <Icon name="fork" size={16} /> {text.run.verbs.fork}
        </button>
      </div>
      {forking && <ForkDialog run={run} stage={null} onClose={() => setForking(false)} />}
    </header>
  );
}

// What it can be found by: each leads to all runs that have it.
function Labels({ labels }: { labels: Record<string, string> }) {
  const names = Object.keys(labels).sort();
  if (names.length === 0) return null;
  return (
    <div className="row wrap small" role="group" aria-label={text.run.labels}>
      {names.map((name) => (
        <Link key={name} className="button small mono" href={`/runs?label=${encodeURIComponent(`${name}=${labels[name]}`)}`}>
          {name}={labels[name]}
        </Link>
      ))}
    </div>
  );
}

// One sentence: what an unfinished run waits for, or why it failed.
function Why({ run, deaths }: { run: Run; deaths: readonly Death[] }) {
  const wanted = !isOver(run.status);
  const told = useResource(wanted ? `why ${run.id}` : null, () => call("GET /api/runs/{id}/why", { path: { id: run.id } }), 2000);
  const why = told.value;
  if (run.status === "failed" && run.error) {
    return (
      <div className="notice tone-bad" role="status">
        <p>
          <b>{run.error.stage_key ? text.run.failedAt(run.error.stage_key) : text.run.failed}</b> <span className="mono">{run.error.code}</span>
        </p>
        <p className="error-text">{run.error.message}</p>
      </div>
    );
  }
  if (!wanted) return <Story run={run} deaths={deaths} />;
  return (
    <div className={`notice ${run.status === "paused" || run.stalled ? "tone-doubt" : run.status === "waiting" ? "tone-wait" : "tone-run"} why`}>
      <p>{why ? why.sentence : text.run.asking}</p>
      {why?.to_do && <p className="small">{why.to_do}</p>}
      <OverBudget run={run} />
      {why?.child_id && (
        <p className="small">
          <Link href={`/runs/${encodeURIComponent(why.child_id)}`}>{why.child_id}</Link>
        </p>
      )}
      {why?.last_error && <p className="error-text small">{why.last_error}</p>}
      {run.progress && run.progress.total > 0 && (
        <p className="row why-progress">
          <progress max={run.progress.total} value={run.progress.done} aria-label={text.run.progress} />
          <span>
            {text.run.progressOf(run.progress.done, run.progress.total)} {run.progress.text}
          </span>
        </p>
      )}
    </div>
  );
}

// A finished run in a sentence or two, for whoever never saw one.
function Story({ run, deaths }: { run: Run; deaths: readonly Death[] }) {
  const words = text.run.story;
  const end = Date.parse(run.completed_at ?? run.updated_at);
  const worked = workedOf(run, end, deaths);
  const waited = end - Date.parse(run.created_at) - worked;
  const recorded = run.stages.filter((stage) => stage.status === "succeeded").length;
  const retried = run.stages.reduce((sum, stage) => sum + stage.failed_attempts.length, 0);
  const skipped = run.stages.filter((stage) => stage.status === "failed").length;
  const told = run.status === "canceled" ? [words.canceled(run.error?.message ?? "")] : [words.done(duration(worked), recorded)];
  if (waited >= kWorthAWordMs && waited > worked) told.push(words.waited(duration(waited)));
  if (retried > 0) told.push(words.retried(retried));
  if (skipped > 0 && run.status === "succeeded") told.push(words.without(skipped));
  if (deaths.length === 0 && savedOf(run).steps > 0) told.push(words.recovered(savedOf(run).steps, duration(savedOf(run).time_ms)));
  return <p className={`notice story ${run.status === "succeeded" ? "tone-ok" : ""}`}>{told.join(" ")}</p>;
}

const kWorthAWordMs = 2000;

// What a checkpoint saved from being done again.
function savedOf(run: Run): { steps: number; time_ms: number; cost: Record<string, unknown> } {
  const told = run.saved as { steps?: number; time_ms?: number; cost?: Record<string, unknown> };
  return { steps: told.steps ?? 0, time_ms: told.time_ms ?? 0, cost: told.cost ?? {} };
}

function Facts({ run, deaths, now }: { run: Run; deaths: readonly Death[]; now: number }) {
  const over = isOver(run.status);
  const saved = savedOf(run);
  const end = run.completed_at ? Date.parse(run.completed_at) : over || run.status === "paused" ? Date.parse(run.updated_at) : now;
  const worked = workedOf(run, end, deaths);
  const waited = end - Date.parse(run.created_at) - worked;
  const recorded = run.stages.filter((stage) => stage.status === "succeeded").length;
  const taken = run.stages.filter((stage) => isTaken(run, stage)).length;
  const hasChildren = run.stages.some((stage) => stage.kind === "child");
  const children = useResource(hasChildren ? `children ${run.id}` : null, async () => {
    const told = await call("GET /api/runs", { query: { q: run.id, limit: 100 } });
    return told.runs.filter((one) => one.parent_id === run.id);
  });
  return (
    <div className="tiles">
      <Tile label={text.run.submitted}>
        <time dateTime={run.created_at} title={time(run.created_at)}>
          {since(run.created_at, now)}
        </time>
      </Tile>
      <Tile label={text.run.worked}>
        {duration(worked)}
        {waited >= kWorthAWordMs && <span className="tile-more muted">{text.run.andWaited(duration(waited))}</span>}
      </Tile>
      <Tile label={text.run.checkpoints}>
        {recorded}
        {taken > 0 && <span className="tile-more muted">{text.run.takenOf(taken)}</span>}
      </Tile>
      <Tile label={text.run.claims}>
        {text.run.claimed(run.attempts + deaths.filter((death) => death.back !== null).length)}
        {deaths.length > 0 && <span className="tile-more tone-bad crash-count">{text.run.crash.count(deaths.length)}</span>}
      </Tile>
      <Tile label={text.run.cost} nothing={Object.keys(run.cost).length === 0}>
        <Cost cost={run.cost} />
      </Tile>
      <Tile label={text.run.saved} good={saved.steps > 0} nothing={saved.steps === 0}>
        {saved.steps > 0 ? text.run.savedSteps(saved.steps, duration(saved.time_ms)) : <span className="muted">{text.run.noCrash}</span>}
        {Object.keys(saved.cost).length > 0 && <Cost cost={saved.cost} />}
      </Tile>
      {run.file_id && (
        <Tile label={text.run.file}>
          <a href={`/api/files/${encodeURIComponent(run.file_id)}/content`} target="_blank" rel="noreferrer">
            {text.run.openFile}
          </a>
        </Tile>
      )}
      {run.parent_id && (
        <Tile label={text.run.parent}>
          <Link href={`/runs/${encodeURIComponent(run.parent_id)}`} title={run.parent_id}>
            {text.run.openRun}
          </Link>
        </Tile>
      )}
      {run.forked_from && (
        <Tile label={text.run.forkedFrom}>
          <Link href={`/runs/${encodeURIComponent(run.forked_from)}`} title={run.forked_from}>
            {text.run.openRun}
          </Link>
        </Tile>
      )}
      {children.value && children.value.length > 0 && (
        <Tile label={text.run.children}>
          <FamilyCost told={run.children} />
          {children.value.slice(0, 5).map((child) => (
            <Link key={child.id} className="child-link" href={`/runs/${encodeURIComponent(child.id)}`}>
              {child.workflow_key} <State status={child.status} />
            </Link>
          ))}
        </Tile>
      )}
    </div>
  );
}

// What the runs below it cost, and what their checkpoints and caches saved.
function FamilyCost({ told }: { told: Record<string, unknown> | undefined }) {
  const cost = (told?.cost ?? {}) as Record<string, unknown>;
  const saved = ((told?.saved as Record<string, unknown> | undefined)?.cost ?? {}) as Record<string, unknown>;
  return (
    <>
      {Object.keys(cost).length > 0 && <Cost cost={cost} />}
      {Object.keys(saved).length > 0 && (
        <span className="tile-more">
          {text.run.saved}: <Cost cost={saved} />
        </span>
      )}
    </>
  );
}

// `nothing`: it says that there was none, for which a phone has no room.
function Tile({ label, good = false, nothing = false, children }: { label: string; good?: boolean; nothing?: boolean; children: React.ReactNode }) {
  return (
    <div className={`tile ${good ? "tone-ok good" : ""} ${nothing ? "wide-only" : ""}`}>
      <span className="tile-label">{label}</span>
      <span className="tile-value cut">{children}</span>
    </div>
  );
}
