// queues.tsx — where runs wait for their turn, what starts by the clock, and who works.
import { request } from "../../api/client";
import { count, duration, since, time } from "../../parts/format";
import { State } from "../../parts/state";
import { useResource } from "../../state/resource";
import { text } from "../../text";
import { Section } from "./section";

type Row = Record<string, unknown>;

async function rows(route: string, name: string): Promise<Row[]> {
  const told = (await request(`GET ${route}`)) as Record<string, Row[]>;
  return told[name] ?? [];
}
function word(value: unknown): string {
  if (value === null || value === undefined || value === "") return "–";
  return typeof value === "number" ? count(value) : typeof value === "object" ? JSON.stringify(value) : String(value);
}

export function Queues() {
  const told = useResource("queues", () => rows("/api/queues", "queues"), 5000);
  return (
    <Section title={text.operations.queues} told={told} icon="runs" empty={text.operations.noQueues} emptyAdvice={text.operations.noQueuesAdvice}>
      {(all) => (
        <div className="scroll" tabIndex={0} role="group" aria-label={text.operations.queues}>
          <table className="rows">
            <thead>
              <tr>
                <th scope="col">{text.operations.name}</th>
                <th scope="col" className="number">
                  {text.operations.waiting}
                </th>
                <th scope="col" className="number">
                  {text.operations.atWork}
                </th>
                <th scope="col">{text.operations.limits}</th>
                <th scope="col">
                  <span className="hidden">{text.operations.state}</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {all.map((queue) => {
                const paused = queue.paused === true;
                return (
                  <tr key={String(queue.name)}>
                    <td className="mono">{String(queue.name)}</td>
                    <td className="number">{word(queue.in_line)}</td>
                    <td className="number">{word(queue.running)}</td>
                    <td className="small">{limits(queue)}</td>
                    <td className="number">
                      {paused && <State status="paused" />}
                    </td>
                  </tr>
                );
              })}
            </tbody>
          </table>
        </div>
      )}
    </Section>
  );
}

function limits(queue: Row): string {
  const words = text.operations.limit;
  const rate = queue.rate as { starts: number; period_ms: number } | null | undefined;
  const told = [
    typeof queue.concurrency === "number" && words.concurrency(queue.concurrency),
    typeof queue.concurrency_per_worker === "number" && words.perWorker(queue.concurrency_per_worker),
    rate && words.rate(rate.starts, duration(rate.period_ms)),
  ].filter(Boolean);
  return told.length > 0 ? told.join(", ") : text.operations.unlimited;
}

export function Schedules() {
  const told = useResource("schedules", () => rows("/api/schedules", "schedules"), 10_000);
  return (
    <Section title={text.operations.schedules} told={told} icon="wait" empty={text.operations.noSchedules} emptyAdvice={text.operations.noSchedulesAdvice}>
      {(all) => (
        <div className="scroll" tabIndex={0} role="group" aria-label={text.operations.schedules}>
          <table className="rows">
            <thead>
              <tr>
                <th scope="col">{text.operations.name}</th>
                <th scope="col">{text.operations.when}</th>
                <th scope="col">{text.operations.next}</th>
                <th scope="col">
                  <span className="hidden">{text.operations.state}</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {all.map((one) => {
                const name = String(one.name);
                const paused = one.paused === true;
                const next = one.next_tick;
                return (
                  <tr key={name}>
                    <td>
                      <span className="mono">{name}</span>
                      <p className="small muted">{word(one.workflow_key)}</p>
                    </td>
                    <td>
                      <span className="mono">{word(one.cron)}</span>
                      <p className="small muted">{word(one.zone)}</p>
                    </td>
                    <td>{typeof next === "string" ? <time title={time(next)}>{since(next)}</time> : "–"}</td>
                    <td className="number">
                      {paused && <State status="paused" />}
                    </td>
                  </tr>
                );
              })}
            </tbody>
          </table>
        </div>
      )}
    </Section>
  );
}
