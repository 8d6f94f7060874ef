// stage_panel.tsx — one stage: what it gave, what it cost, every attempt with its failure in full; fork from here.
import { useState } from "react";
import { clockTime, duration, time } from "../../parts/format";
import { Icon } from "../../parts/icon";
import { JsonView } from "../../parts/json_view";
import { Link } from "../../parts/link";
import { State } from "../../parts/state";
import { text } from "../../text";
import { Cost } from "./cost";
import { ForkDialog } from "./fork_dialog";
import { stageAdvice } from "./run_name";
import type { Run, Stage } from "./timeline_model";

interface Props {
  run: Run;
  stage: Stage;
  onClose: () => void;
}

export function StagePanel({ run, stage, onClose }: Props) {
  const [forking, setForking] = useState(false);
  const words = text.run;
  const more = stage as Stage & { cost?: Record<string, unknown>; input?: unknown; child_id?: string; cached?: boolean };
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
            <dd>{duration(stage.duration_ms)}</dd>
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
        {more.child_id && (
          <>
            <dt>{words.child}</dt>
            <dd>
              <Link href={`/runs/${encodeURIComponent(more.child_id)}`}>{more.child_id}</Link>
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
      {more.input !== undefined && more.input !== null && (
        <>
          <h3>{words.got}</h3>
          <JsonView value={more.input} label={words.got} />
        </>
      )}
      <h3>{words.gave}</h3>
      <JsonView value={stage.output} label={words.gave} />
      <div className="row wrap">
        <button className="button" onClick={() => setForking(true)}>
          <Icon name="fork" size={16} /> {words.forkHere}
        </button>
      </div>
      {forking && <ForkDialog run={run} stage={stage} onClose={() => setForking(false)} />}
    </section>
  );
}
