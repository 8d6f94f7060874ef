// causes.tsx — failed runs by what made them fail, and all of one cause again with one click.
import { useState } from "react";
import { asFailure, call, type Answer } from "../../api/client";
import { count, since } from "../../parts/format";
import { Icon } from "../../parts/icon";
import { Link } from "../../parts/link";
import { Bones, Empty, FailedPlacard, failureLine } from "../../parts/placards";
import { toast } from "../../parts/toasts";
import { refreshWhere, useResource } from "../../state/resource";
import { text } from "../../text";
import { kindName } from "../run/run_name";

type Cause = Answer<"GET /api/failures">["causes"][number];
const kShownMax = 30;

export function Causes() {
  const told = useResource("failures", () => call("GET /api/failures"), 15_000, 2000);
  const causes = told.value?.causes ?? [];
  return (
    <section className="card section" aria-label={text.operations.causes}>
      <h2>{text.operations.causes}</h2>
      {told.failure && !told.value ? (
        <FailedPlacard failure={told.failure} again={told.reload} />
      ) : !told.value ? (
        <Bones rows={2} height={56} />
      ) : causes.length === 0 ? (
        <Empty icon="done" title={text.operations.noFailures} />
      ) : (
        <ul className="cause-list">
          {causes.slice(0, kShownMax).map((cause) => (
            <CauseRow key={cause.cause} cause={cause} />
          ))}
        </ul>
      )}
      {causes.length > kShownMax && <p className="muted small">{text.operations.moreCauses(causes.length - kShownMax)}</p>}
      {told.value && !told.value.complete && <p className="muted small">{text.operations.notAllFailures}</p>}
    </section>
  );
}

function CauseRow({ cause }: { cause: Cause }) {
  const [done, setDone] = useState<number | null>(null);
  const retryAll = async () => {
    let retried = 0;
    let refused = 0;
    setDone(0);
    try {
      // The server does a few hundred at a time: what is left is asked for again, so that the count is seen to go on.
      for (let more = true; more && retried + refused < cause.runs; ) {
        const told = await call("POST /api/failures/{cause}/retry", { path: { cause: cause.cause }, once: true });
        retried += told.retried;
        refused += told.refused;
        more = told.more && told.retried > 0;
        setDone(retried);
      }
      toast(text.operations.retried(retried, refused));
    } catch (error) {
      toast(failureLine(asFailure(error)));
    }
    setDone(null);
    refreshWhere(() => true);
  };
  return (
    <li className="cause">
      <span className="cause-count">
        <span aria-hidden="true">{count(cause.runs)}</span>
        <span className="hidden">{text.operations.failures(cause.runs)}</span>
      </span>
      <div className="grow">
        <p>
          <b>{kindName(cause.workflow_key)}</b> {cause.stage_key && <span className="mono">{cause.stage_key}</span>} <span className="mono muted">{cause.code}</span>
        </p>
        <p className="cause-message">{cause.message}</p>
        <p className="small muted">
          {text.operations.newest}{" "}
          <Link href={`/runs/${encodeURIComponent(cause.newest_run_id)}`}>{since(cause.newest_at)}</Link>
          {cause.runs > 1 && ` · ${text.operations.oldest} ${since(cause.oldest_at)}`}
          {cause.parents > 0 && ` · ${text.operations.parents(cause.parents)}`}
        </p>
      </div>
      <button className="button small" disabled={done !== null} onClick={() => void retryAll()}>
        <Icon name="retry" size={15} />
        {done === null ? text.operations.retryAll(cause.runs) : text.operations.retrying(done, cause.runs)}
      </button>
    </li>
  );
}
