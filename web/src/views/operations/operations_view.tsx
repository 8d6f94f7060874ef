// operations_view.tsx — how the whole of it is doing: how much and how fast, what waits where, what failed and why.
import "./operations.css";
import { call } from "../../api/client";
import { count } from "../../parts/format";
import { Icon } from "../../parts/icon";
import { Link } from "../../parts/link";
import { Bones, FailedPlacard } from "../../parts/placards";
import { iconOf, runStates, toneOf } from "../../parts/state";
import { useProgram } from "../../state/program";
import { useResource } from "../../state/resource";
import { useWord } from "../../state/router";
import { useTitle } from "../../state/title";
import { text } from "../../text";
import { Approvals } from "./approvals";
import { Causes } from "./causes";
import { Latency, Throughput } from "./charts";
import { Inbox } from "./inbox";
import { Queues } from "./queues";
import { Schedules } from "./schedules";
import { Workers } from "./workers";

const spans: Record<string, number> = { hour: 3600, day: 86_400, week: 604_800 }; // seconds
const kBuckets = 60;

export default function OperationsView() {
  useTitle(text.operations.title);
  const hasUploads = useProgram().views.includes("uploads");
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
      {hasUploads && <Inbox />}
      <Workers />
    </div>
  );
}

// What waits for its turn is not at work: what runs is counted by what it does.
function Counts() {
  const told = useResource("run-states", async () => (await call("GET /api/run-states")).states, 3000, 1000);
  if (told.failure && !told.value) return <FailedPlacard failure={told.failure} again={told.reload} />;
  return (
    <div className="tiles state-tiles">
      {runStates.map((state) => {
        const number = told.value?.[state];
        return (
          <Link key={state} href={`/runs?status=${state}`} className={`tile tile-link tone-${toneOf(state)} ${state === "failed" && number ? "good" : ""}`} data-none={number === 0 || undefined}>
            <span className="tile-label state-label">
              <Icon name={iconOf(state)} size={13} /> {text.states[state]}
            </span>
            <span className="tile-value">{number === undefined ? "–" : count(number)}</span>
          </Link>
        );
      })}
    </div>
  );
}

function Charts() {
  const [word, setWord] = useWord("span");
  const span = spans[word] ?? 3600;
  const told = useResource(`activity ${span}`, () => call("GET /api/activity", { query: { seconds: span, buckets: kBuckets } }), 10_000, 3000);
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
        <Bones rows={2} height={110} />
      ) : (
        <div className="pair">
          <Throughput activity={told.value} />
          <Latency activity={told.value} />
        </div>
      )}
    </section>
  );
}

