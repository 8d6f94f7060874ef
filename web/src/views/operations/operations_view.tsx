// operations_view.tsx — how the whole of it is doing: how much and how fast, what waits where, what failed and why.
import "./operations.css";
import { useMemo } from "react";
import { useNow } from "../../parts/clock";
import { count } from "../../parts/format";
import { Link } from "../../parts/link";
import { Bones, FailedPlacard } from "../../parts/placards";
import { useResource } from "../../state/resource";
import { useWord } from "../../state/router";
import { text } from "../../text";
import { Approvals } from "./approvals";
import { Causes } from "./causes";
import { Latency, Throughput } from "./charts";
import { Inbox } from "./inbox";
import { bucketsOf, parseMetrics, valueOf } from "./metrics";
import { Queues, Schedules } from "./queues";
import { Workers } from "./workers";
import { readMetrics } from "./read_metrics";
import { recentRuns } from "./recent_runs";

const spans: Record<string, number> = { hour: 3_600_000, day: 86_400_000, week: 604_800_000 };

export default function OperationsView() {
  return (
    <div className="view">
      <header className="view-head">
        <div>
          <h1>{text.operations.title}</h1>
          <p className="muted">{text.operations.advice}</p>
        </div>
      </header>
      <Counts />
      <Charts />
      <Causes />
      <div className="pair">
        <Queues />
        <Schedules />
      </div>
      <Approvals />
      <Inbox />
      <Workers />
    </div>
  );
}

const statuses = ["queued", "running", "waiting", "paused", "failed", "succeeded", "canceled"] as const;

function Counts() {
  const told = useResource("metrics", readMetrics, 3000);
  const samples = useMemo(() => (told.value ? parseMetrics(told.value) : []), [told.value]);
  if (told.failure && !told.value) return <FailedPlacard failure={told.failure} again={told.reload} />;
  return (
    <div className="tiles">
      {statuses.map((status) => {
        const number = valueOf(samples, "belay_runs", { status });
        return (
          <Link key={status} href={`/runs?status=${status}`} className={`tile tile-link ${status === "failed" && number ? "tone-bad good" : ""}`}>
            <span className="tile-label">{text.states[status]}</span>
            <span className="tile-value">{number === undefined ? "–" : count(number)}</span>
          </Link>
        );
      })}
    </div>
  );
}

function Charts() {
  const [word, setWord] = useWord("span");
  const span = spans[word] ?? 3_600_000;
  const now = useNow(5000, true);
  const told = useResource(`recent ${span}`, () => recentRuns(Date.now() - span), 10_000);
  const buckets = useMemo(() => bucketsOf(told.value ?? [], now, span, 48), [told.value, now, span]);
  return (
    <section aria-label={text.operations.over}>
      <div className="row span-row" role="group" aria-label={text.operations.span}>
        {Object.keys(spans).map((one) => (
          <button key={one} className="button small" aria-pressed={(spans[word] ? word : "hour") === one} onClick={() => setWord(one)}>
            {text.operations.spans[one]}
          </button>
        ))}
      </div>
      {told.failure && !told.value ? (
        <FailedPlacard failure={told.failure} again={told.reload} />
      ) : !told.value ? (
        <Bones rows={2} height={90} />
      ) : (
        <div className="pair">
          <Throughput buckets={buckets} />
          <Latency buckets={buckets} />
        </div>
      )}
    </section>
  );
}

