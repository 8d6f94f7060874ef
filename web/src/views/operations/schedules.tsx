// schedules.tsx — what starts by the clock: when next, what came of the last time; now, pause, resume.
import { asFailure, call, type Answer } from "../../api/client";
import { count, since, time, until } from "../../parts/format";
import { Icon } from "../../parts/icon";
import { Link } from "../../parts/link";
import { failureLine } from "../../parts/placards";
import { State } from "../../parts/state";
import { toast } from "../../parts/toasts";
import { refreshWhere, useResource } from "../../state/resource";
import { go } from "../../state/router";
import { text } from "../../text";
import { kindName } from "../run/run_name";
import { Section } from "./section";

type Schedule = Answer<"GET /api/schedules">["schedules"][number];

export function Schedules() {
  const told = useResource("schedules", async () => (await call("GET /api/schedules")).schedules, 10_000, 1000);
  return (
    <Section title={text.operations.schedules} told={told} icon="wait" empty={text.operations.noSchedules} emptyAdvice={text.operations.noSchedulesAdvice}>
      {(all) => (
        <ul className="ops-list">
          {all.map((one) => (
            <ScheduleRow key={one.name} one={one} />
          ))}
        </ul>
      )}
    </Section>
  );
}

function ScheduleRow({ one }: { one: Schedule }) {
  const words = text.operations;
  const act = async (verb: "pause" | "resume") => {
    try {
      await call(`POST /api/schedules/{name}/${verb}`, { path: { name: one.name }, once: true });
      toast(words.scheduleDid[verb](one.name));
      refreshWhere((key) => key === "schedules");
    } catch (error) {
      toast(failureLine(asFailure(error)));
    }
  };
  const trigger = async () => {
    try {
      const told = await call("POST /api/schedules/{name}/trigger", { path: { name: one.name }, once: true });
      toast(words.scheduleDid.trigger(one.name));
      go(`/runs/${encodeURIComponent(told.workflow_run_id)}`);
    } catch (error) {
      toast(failureLine(asFailure(error)));
    }
  };
  const verb = one.paused ? "resume" : "pause";
  return (
    <li className="ops-row">
      <div className="ops-name">
        <p className="row">
          <b className="mono cut">{one.name}</b> {one.paused && <State status="paused" />}
        </p>
        <p className="small muted">
          {kindName(one.workflow_key)} · <span className="mono">{one.cron}</span> {one.zone}
        </p>
      </div>
      <div className="ops-facts small">
        <p>{one.next_tick ? <time title={time(one.next_tick)}>{words.nextAt(until(one.next_tick))}</time> : words.neverAgain}</p>
        <p className="muted">
          {one.last_tick && one.last_run_id ? (
            <>
              {words.lastAt} <Link href={`/runs/${encodeURIComponent(one.last_run_id)}`}>{since(one.last_tick)}</Link>
            </>
          ) : (
            words.notYet
          )}
          {one.lost > 0 && ` · ${words.lost(count(one.lost))}`}
        </p>
      </div>
      <div className="row ops-end">
        <button className="button small" aria-label={words.scheduleVerbs.trigger(one.name)} onClick={() => void trigger()}>
          <Icon name="play" size={15} /> {words.runNow}
        </button>
        <button className="button small" aria-label={words.scheduleVerbs[verb](one.name)} onClick={() => void act(verb)}>
          <Icon name={one.paused ? "play" : "pause"} size={15} /> {text.run.verbs[verb]}
        </button>
      </div>
    </li>
  );
}
