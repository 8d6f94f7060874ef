// stage_panel.tsx — one stage: what it gave, what it cost, every attempt with its failure in full; fork from here.
import { useState } from "react";
import { call } from "../../api/client";
import { clockTime, duration, time } from "../../parts/format";
import { Icon } from "../../parts/icon";
import { JsonView } from "../../parts/json_view";
import { Link } from "../../parts/link";
import { State } from "../../parts/state";
import { useResource } from "../../state/resource";
import { text } from "../../text";
import { Cost } from "./cost";
import { ForkDialog } from "./fork_dialog";
import { stageAdvice } from "./run_name";
import type { Death } from "./deaths";
import { isGroup, tookIn, type Run, type Stage } from "./timeline_model";

interface Props {
  run: Run;
  stage: Stage;
  deaths: readonly Death[];
  onSelect: (path: string) => void; // another stage
  onClose: () => void;
}

// What there was when it began: the input of a child; else what the steps before it gave, and the input of the run. What code took of
// these is not recorded.
function Got({ run, stage, onSelect }: { run: Run; stage: Stage; onSelect: (path: string) => void }) {
  const words = text.run;
  const isChild = stage.kind === "child";
  const child = useResource(isChild ? `child ${run.id} ${stage.path}` : null, async () => {
    const found = await call("GET /api/runs", { query: { q: run.id, limit: 200 } });
    for (const one of found.runs.filter((each) => each.parent_id === run.id)) {
      const whole = await call("GET /api/runs/{id}", { path: { id: one.id } });
      if (whole.parent_path === stage.path) return whole;
    }
    return null;
  });
  if (isChild)
    return (
      <div>
        <h3>{words.got}</h3>
        {child.value ? (
          <>
            <p>
              <Link href={`/runs/${encodeURIComponent(child.value.id)}`}>{child.value.id}</Link> <State status={child.value.status} />
            </p>
            <JsonView value={child.value.input} label={words.got} />
          </>
        ) : (
          <p className="muted">{child.loading ? text.loading : text.nothing}</p>
        )}
      </div>
    );
  return (
    <div>
      <h3>{words.gotBefore}</h3>
      <p className="small muted">{words.gotAdvice}</p>
      {beforeOf(run, stage).map((one) => (
        <div key={one.path} className="got-one">
          <button className="button bare small mono" title={words.panel(one.stage_key)} onClick={() => onSelect(one.path)}>
            {one.stage_key}
          </button>
          <JsonView value={one.output} label={words.gaveOf(one.stage_key)} />
        </div>
      ))}
      <div className="got-one">
        <p className="small muted">{words.gotInput}</p>
        <JsonView value={run.input} label={words.gotInput} />
      </div>
    </div>
  );
}

// As its row says it: neither the wait for a turn nor what a dead worker had done is its work.
function tookWords(run: Run, stage: Stage, deaths: readonly Death[]): string {
  const took = tookIn(run, stage, Date.parse(stage.finished_at ?? ""), deaths);
  if (took === null) return text.states.taken;
  if (took.worked === 0 && took.waited > 0) return duration(took.waited);
  return took.waited > 0 ? text.run.workedWaited(duration(took.worked), duration(took.waited)) : duration(took.worked);
}

const kBeforeMax = 3;
// The stages that were recorded right before it: the ones in front of it where it stands, else in front of what it is in.
export function beforeOf(run: Run, stage: Stage): Stage[] {
  for (let parts = stage.path.split("."); parts.length > 0; parts = parts.slice(0, -1)) {
    const place = Number(parts.at(-1));
    const group = parts.slice(0, -1).join(".");
    const fan = run.stages.some((one) => one.path === group && one.kind === "fan");
    const ahead = fan ? [] : run.stages.filter((one) => one.output !== null && one.path.split(".").slice(0, -1).join(".") === group && Number(one.path.split(".").at(-1)) < place && /^\d/.test(one.path));
    if (ahead.length > 0) return ahead.sort((a, b) => Number(b.path.split(".").at(-1)) - Number(a.path.split(".").at(-1))).slice(0, kBeforeMax);
  }
  return [];
}

export function StagePanel({ run, stage, deaths, onSelect, onClose }: Props) {
  const [forking, setForking] = useState(false);
  const words = text.run;
  const more = stage as Stage & { cost?: Record<string, unknown> };
  return (
    <section className="card panel" aria-label={words.panel(stage.stage_key)}>
      <div className="row">
        <h2 className="cut grow">{stage.stage_key}</h2>
        <State status={stage.status} />
        <button className="button bare small" onClick={onClose} aria-label={words.closePanel}>
          <Icon name="close" size={15} />
        </button>
      </div>
      {stageAdvice(stage.stage_key) && <p className="muted">{stageAdvice(stage.stage_key)}</p>}
      <dl className="facts">
        <dt>{words.kind}</dt>
        <dd>{words.kinds[stage.kind as keyof typeof words.kinds] ?? stage.kind}</dd>
        <dt>{words.path}</dt>
        <dd className="mono">{stage.path}</dd>
        {stage.started_at && (
          <>
            <dt>{words.started}</dt>
            <dd>
              <time dateTime={stage.started_at}>{time(stage.started_at)}</time>
            </dd>
          </>
        )}
        {stage.duration_ms !== null && (
          <>
            <dt>{words.took}</dt>
            <dd>{isGroup(stage) ? duration(stage.duration_ms) : tookWords(run, stage, deaths)}</dd>
          </>
        )}
        {stage.next_attempt_at && stage.finished_at === null && (
          <>
            <dt>{words.next}</dt>
            <dd>{time(stage.next_attempt_at)}</dd>
          </>
        )}
        {more.cost && Object.keys(more.cost).length > 0 && (
          <>
            <dt>{words.cost}</dt>
            <dd>
              <Cost cost={more.cost} />
            </dd>
          </>
        )}
      </dl>
      {stage.message && <p className={`notice ${stage.status === "failed" ? "tone-bad" : stage.status === "retrying" ? "tone-doubt" : "tone-still"} error-text`}>{stage.message}</p>}
      {stage.failed_attempts.length > 0 && (
        <>
          <h3>{words.failedAttempts(stage.failed_attempts.length)}</h3>
          <ol className="attempt-list">
            {stage.failed_attempts.map((attempt) => (
              <li key={attempt.attempt}>
                <p className="small muted">
                  {words.attempt(attempt.attempt)}
                  {attempt.started_at && ` · ${clockTime(attempt.started_at)}`}
                  {attempt.started_at && attempt.finished_at && ` · ${duration(Date.parse(attempt.finished_at) - Date.parse(attempt.started_at))}`}
                  {attempt.error_code && <span className="mono"> · {attempt.error_code}</span>}
                  {attempt.worker && <span className="mono"> · {attempt.worker}</span>}
                </p>
                <p className="error-text">{attempt.message}</p>
              </li>
            ))}
          </ol>
        </>
      )}
      <div className="got-and-gave">
        <Got run={run} stage={stage} onSelect={onSelect} />
        <div>
          <h3>{stage.checkpoint === null ? words.gave : words.checkpoint}</h3>
          <JsonView value={stage.checkpoint === null ? stage.output : stage.checkpoint} label={stage.checkpoint === null ? words.gave : words.checkpoint} />
        </div>
      </div>
      <div className="row wrap">
        <button className="button" onClick={() => setForking(true)}>
          <Icon name="fork" size={16} /> {words.forkHere}
        </button>
      </div>
      {forking && <ForkDialog run={run} stage={stage} onClose={() => setForking(false)} />}
    </section>
  );
}
