// queues.tsx — where runs wait for their turn: how full each queue is, and pausing and limiting it.
import { useState } from "react";
import { asFailure, call, type Answer, type Body } from "../../api/client";
import { Dialog } from "../../parts/dialog";
import { count, duration, since } from "../../parts/format";
import { Icon } from "../../parts/icon";
import { failureLine } from "../../parts/placards";
import { State } from "../../parts/state";
import { toast } from "../../parts/toasts";
import { refreshWhere, useResource } from "../../state/resource";
import { text } from "../../text";
import { Section } from "./section";

type Queue = Answer<"GET /api/queues">["queues"][number];
type Limits = Body<"POST /api/queues/{name}/limits">;

export function Queues() {
  const told = useResource("queues", async () => (await call("GET /api/queues")).queues, 5000, 1000);
  return (
    <Section title={text.operations.queues} told={told} icon="runs" empty={text.operations.noQueues} emptyAdvice={text.operations.noQueuesAdvice}>
      {(all) => (
        <ul className="ops-list">
          {all.map((queue) => (
            <QueueRow key={queue.name} queue={queue} />
          ))}
        </ul>
      )}
    </Section>
  );
}

function QueueRow({ queue }: { queue: Queue }) {
  const words = text.operations;
  const [editing, setEditing] = useState(false);
  const act = async (verb: "pause" | "resume") => {
    try {
      await call(`POST /api/queues/{name}/${verb}`, { path: { name: queue.name }, body: {}, once: true });
      toast(words.queueDid[verb](queue.name));
      refreshWhere((key) => key === "queues");
    } catch (error) {
      toast(failureLine(asFailure(error)));
    }
  };
  const verb = queue.paused ? "resume" : "pause";
  return (
    <li className="ops-row">
      <div className="ops-name">
        <p className="row">
          <b className="mono cut">{queue.name}</b> {queue.paused && <State status="paused" />}
        </p>
        <p className="small muted">{queue.paused && queue.pause_reason ? queue.pause_reason : limitsOf(queue)}</p>
      </div>
      <div className="ops-facts">
        {queue.concurrency !== null && queue.concurrency > 0 ? (
          <div>
            <meter className="ops-meter" min={0} max={queue.concurrency} value={Math.min(queue.running, queue.concurrency)} aria-label={words.atWorkOf(queue.running, queue.concurrency)} />
            <p className="small">{words.atWorkOf(queue.running, queue.concurrency)}</p>
          </div>
        ) : (
          <p className="small">{words.atWorkNow(queue.running)}</p>
        )}
        <p className="small">
          {words.inLine(queue.in_line)}
          {queue.oldest_at && queue.in_line > 0 && <span className="muted"> · {words.oldestOf(since(queue.oldest_at))}</span>}
          {queue.waiting + queue.delayed > 0 && <span className="muted"> · {words.later(queue.waiting + queue.delayed)}</span>}
        </p>
      </div>
      <div className="row ops-end">
        <button className="button small" aria-label={words.queueVerbs.limits(queue.name)} onClick={() => setEditing(true)}>
          {words.limitsButton}
        </button>
        <button className="button small" aria-label={words.queueVerbs[verb](queue.name)} onClick={() => void act(verb)}>
          <Icon name={queue.paused ? "play" : "pause"} size={15} /> {text.run.verbs[verb]}
        </button>
      </div>
      {editing && <LimitsDialog queue={queue} onClose={() => setEditing(false)} />}
    </li>
  );
}

function limitsOf(queue: Queue): string {
  const words = text.operations.limit;
  const told = [
    queue.concurrency !== null && words.concurrency(queue.concurrency),
    queue.concurrency_per_worker !== null && words.perWorker(queue.concurrency_per_worker),
    queue.rate && words.rate(queue.rate.starts, duration(queue.rate.period_ms)),
  ].filter(Boolean);
  return told.length > 0 ? told.join(", ") : text.operations.unlimited;
}

const written = (value: number | null | undefined): string => (value === null || value === undefined ? "" : String(value));
const numberOf = (value: string): number | null => (value.trim() === "" ? null : Number(value));

function LimitsDialog({ queue, onClose }: { queue: Queue; onClose: () => void }) {
  const words = text.operations;
  const [concurrency, setConcurrency] = useState(written(queue.concurrency));
  const [perWorker, setPerWorker] = useState(written(queue.concurrency_per_worker));
  const [starts, setStarts] = useState(written(queue.rate?.starts));
  const [seconds, setSeconds] = useState(queue.rate ? String(queue.rate.period_ms / 1000) : "60");
  const [failure, setFailure] = useState("");
  const submit = async () => {
    const rate = numberOf(starts) === null ? null : { starts: Number(starts), period_ms: Math.round(Number(seconds) * 1000) };
    const body: Limits = { concurrency: numberOf(concurrency), concurrency_per_worker: numberOf(perWorker), rate };
    try {
      await call("POST /api/queues/{name}/limits", { path: { name: queue.name }, body, once: true });
      toast(words.queueDid.limits(queue.name));
      refreshWhere((key) => key === "queues");
      onClose();
    } catch (error) {
      setFailure(failureLine(asFailure(error)));
    }
  };
  const field = (label: string, value: string, set: (value: string) => void, least: number) => (
    <label>
      {label}
      <input className="field" type="number" min={least} step={1} value={value} placeholder={words.noLimit} onChange={(event) => set(event.target.value)} />
    </label>
  );
  return (
    <Dialog title={words.limitsTitle(queue.name)} submit={text.papers.save} onSubmit={() => void submit()} onClose={onClose} failure={failure}>
      <p className="muted">{words.limitsAdvice(count(queue.running))}</p>
      {field(words.limitFields.concurrency, concurrency, setConcurrency, 0)}
      {field(words.limitFields.perWorker, perWorker, setPerWorker, 1)}
      <div className="pair">
        {field(words.limitFields.starts, starts, setStarts, 1)}
        {field(words.limitFields.seconds, seconds, setSeconds, 1)}
      </div>
    </Dialog>
  );
}
