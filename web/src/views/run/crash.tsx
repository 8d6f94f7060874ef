// crash.tsx — what a crash cost: who died and when, how long nobody had the run, who took it up, what had to be done
// again and what had not. The timeline below draws the same.
import { useId } from "react";
import { clockTime, duration, time } from "../../parts/format";
import { Icon } from "../../parts/icon";
import { text } from "../../text";
import { Cost } from "./cost";
import { workerName, type Death } from "./deaths";
import type { Run } from "./timeline_model";

export function Crash({ run, deaths, now }: { run: Run; deaths: readonly Death[]; now: number }) {
  const heading = useId();
  const words = text.run.crash;
  const saved = run.saved as { steps?: number; time_ms?: number; cost?: Record<string, unknown> };
  const last = deaths.at(-1);
  if (!last) return null;
  const [steps, ms] = saved.steps ? [saved.steps, saved.time_ms ?? 0] : [last.held, last.heldMs];
  return (
    <section className="card crash" aria-labelledby={heading}>
      <header className="crash-head">
        <h2 id={heading}>{words.title(deaths.length)}</h2>
        <p className="muted">{words.pickedUp(deaths.filter((death) => death.back !== null).length)}</p>
      </header>
      <ol className="crash-list">
        {deaths.map((death) => (
          <DeathRow key={`${death.worker} ${death.at}`} death={death} now={now} />
        ))}
      </ol>
      <div className="crash-sum">
        <div className="crash-held">
          <Icon name="done" size={18} />
          <p>
            <b>{steps > 0 ? words.held(steps) : words.nothingHeld}</b>
            {steps > 0 && <span>{words.heldTime(duration(ms))}</span>}
          </p>
          {saved.cost && Object.keys(saved.cost).length > 0 && (
            <p className="crash-cost">
              <span className="muted">{words.notPaid}</span> <Cost cost={saved.cost} />
            </p>
          )}
        </div>
        <div className="crash-lost">
          <Icon name="retry" size={18} />
          <p>
            <b>{lostOf(deaths)}</b>
            <span>{words.lostTime(duration(deaths.reduce((sum, death) => sum + death.lostMs, 0)))}</span>
          </p>
        </div>
      </div>
    </section>
  );
}

function lostOf(deaths: readonly Death[]): string {
  const keys = [...new Set(deaths.flatMap((death) => death.under_way.map((stage) => stage.stage_key)))];
  return keys.length === 0 ? text.run.crash.nothingLost : text.run.crash.again(keys);
}

function DeathRow({ death, now }: { death: Death; now: number }) {
  const words = text.run.crash;
  const stages = [...new Set(death.under_way.map((stage) => stage.stage_key))];
  return (
    <li className="death">
      <div className="death-beat tone-bad">
        <Icon name="failed" size={16} />
        <div>
          <p className="death-when">
            <time dateTime={new Date(death.at).toISOString()} title={time(new Date(death.at).toISOString())}>
              {clockTime(death.at)}
            </time>
          </p>
          <p>{stages.length > 0 ? words.diedIn(stages) : words.died}</p>
          <p className="small muted cut" title={death.worker}>
            {words.worker(workerName(death.worker))}
          </p>
          {death.reason && words.reasons[death.reason] && <p className="small">{words.reasons[death.reason]}</p>}
        </div>
      </div>
      <div className="death-gap">
        <span className="hidden">{words.nobody(duration((death.back ?? now) - death.at))}</span>
        <span aria-hidden="true">{duration((death.back ?? now) - death.at)}</span>
        <span className="small" aria-hidden="true">
          {words.gap}
        </span>
      </div>
      <div className={`death-beat ${death.back === null ? "tone-still" : "tone-ok"}`}>
        <Icon name={death.back === null ? "wait" : "play"} size={16} />
        <div>
          {death.back !== null && (
            <p className="death-when">
              <time dateTime={new Date(death.back).toISOString()} title={time(new Date(death.back).toISOString())}>
                {clockTime(death.back)}
              </time>
            </p>
          )}
          <p>{death.back === null ? words.notYet : stages.length > 0 ? words.wentOn(stages) : words.wentOnAfter}</p>
          {death.by && (
            <p className="small muted cut" title={death.by}>
              {words.worker(workerName(death.by))}
            </p>
          )}
        </div>
      </div>
    </li>
  );
}
