// causes.tsx — failed runs by what made them fail, and all of one cause again with one click.
import { useState } from "react";
import { call } from "../../api/client";
import { count, since } from "../../parts/format";
import { Icon } from "../../parts/icon";
import { Link } from "../../parts/link";
import { Bones, Empty, FailedPlacard } from "../../parts/placards";
import { toast } from "../../parts/toasts";
import { refreshWhere, useResource } from "../../state/resource";
import { text } from "../../text";
import { causesOf, type Cause } from "./metrics";
import { failedRuns } from "./recent_runs";

const kAtOnce = 4;

export function Causes() {
  const told = useResource("failed runs", failedRuns, 15_000);
  const causes = told.value ? causesOf(told.value) : [];
  return (
    <section className="card section">
      <h2>{text.operations.causes}</h2>
      {told.failure && !told.value ? (
        <FailedPlacard failure={told.failure} again={told.reload} />
      ) : !told.value ? (
        <Bones rows={2} height={56} />
      ) : causes.length === 0 ? (
        <Empty icon="done" title={text.operations.noFailures} />
      ) : (
        <ul className="cause-list">
          {causes.slice(0, 30).map((cause) => (
            <CauseRow key={cause.key} cause={cause} />
          ))}
        </ul>
      )}
    </section>
  );
}

function CauseRow({ cause }: { cause: Cause }) {
  const [done, setDone] = useState<number | null>(null);
  const newest = cause.runs[0];
  const retryAll = async () => {
    setDone(0);
    let refused = 0;
    const waiting = [...cause.runs];
    const worker = async () => {
      for (let run = waiting.shift(); run; run = waiting.shift()) {
        await call("POST /api/runs/{id}/retry", { path: { id: run.id }, body: {}, once: true }).catch(() => refused++);
        setDone((old) => (old ?? 0) + 1);
      }
    };
    await Promise.all(Array.from({ length: kAtOnce }, worker));
    toast(text.operations.retried(cause.runs.length - refused, refused));
    setDone(null);
    refreshWhere(() => true);
  };
  return (
    <li className="cause">
      <span className="cause-count" aria-label={text.operations.failures(cause.runs.length)}>
        {count(cause.runs.length)}
      </span>
      <div className="grow">
        <p>
          <b>{cause.workflow}</b> {cause.stage && <span className="mono">{cause.stage}</span>} <span className="mono muted">{cause.code}</span>
        </p>
        <p className="cause-message">{cause.message}</p>
        {newest && (
          <p className="small muted">
            {text.operations.newest}{" "}
            <Link href={`/runs/${encodeURIComponent(newest.id)}`}>{since(newest.completed_at ?? newest.updated_at)}</Link>
          </p>
        )}
      </div>
      <button className="button small" disabled={done !== null} onClick={() => void retryAll()}>
        <Icon name="retry" size={15} />
        {done === null ? text.operations.retryAll(cause.runs.length) : text.operations.retrying(done, cause.runs.length)}
      </button>
    </li>
  );
}
