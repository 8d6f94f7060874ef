// workflows_view.tsx — what can be run here: what each workflow is for, how its newest runs did, and starting one.
import "./workflows.css";
import { useState } from "react";
import { call, type Answer } from "../../api/client";
import { count, duration } from "../../parts/format";
import { Icon } from "../../parts/icon";
import { Link } from "../../parts/link";
import { Bones, Empty, FailedPlacard } from "../../parts/placards";
import { useResource } from "../../state/resource";
import { useTitle } from "../../state/title";
import { text } from "../../text";
import type { Schema } from "./schema_form";
import { StartRun } from "./start_run";

type Workflow = Answer<"GET /api/workflows">["workflows"][number];

export default function WorkflowsView() {
  const words = text.defined;
  useTitle(words.title);
  const told = useResource("workflows", async () => (await call("GET /api/workflows")).workflows, 5000, 1000);
  return (
    <div className="view">
      <header className="view-head">
        <div>
          <h1>{words.title}</h1>
          <p className="muted">{words.advice}</p>
        </div>
      </header>
      {told.failure && !told.value ? (
        <FailedPlacard failure={told.failure} again={told.reload} />
      ) : !told.value ? (
        <Bones rows={4} height={72} />
      ) : told.value.length === 0 ? (
        <Empty icon="runs" title={words.none}>
          {words.noneAdvice}
        </Empty>
      ) : (
        <ul className="workflow-list">
          {told.value.map((one) => (
            <WorkflowCard key={one.key} workflow={one} />
          ))}
        </ul>
      )}
    </div>
  );
}

function WorkflowCard({ workflow }: { workflow: Workflow }) {
  const words = text.defined;
  const [starting, setStarting] = useState(false);
  const { runs } = workflow;
  return (
    <li className="card workflow">
      <div>
        <h2 className="mono">{workflow.key}</h2>
        {workflow.summary && <p>{workflow.summary}</p>}
        <p className="small muted">
          {workflow.versions.length > 1 ? words.versions(workflow.versions.map((one) => one.code_version || words.noVersion)) : workflow.code_version}
        </p>
      </div>
      {runs.of === 0 ? (
        <p className="muted">{words.notRun}</p>
      ) : (
        <dl className="facts">
          <dt>{words.runs}</dt>
          <dd>
            <Link href={`/runs?workflow=${encodeURIComponent(workflow.key)}`}>{words.ofNewest(count(runs.of))}</Link>
          </dd>
          <dt>{words.failed}</dt>
          <dd className={runs.failed > 0 ? "bad-number" : undefined}>{count(runs.failed)}</dd>
          {runs.per_hour !== null && (
            <>
              <dt>{words.rate}</dt>
              <dd>{words.perHour(count(Math.round(runs.per_hour)))}</dd>
            </>
          )}
          {runs.p50_ms !== null && runs.p95_ms !== null && (
            <>
              <dt>{words.took}</dt>
              <dd>{words.p50p95(duration(runs.p50_ms), duration(runs.p95_ms))}</dd>
            </>
          )}
        </dl>
      )}
      {workflow.exposed ? (
        <button className="button primary" aria-label={words.startTitle(workflow.key)} onClick={() => setStarting(true)}>
          <Icon name="play" size={15} /> {words.start}
        </button>
      ) : (
        <p className="small muted">{words.inside}</p>
      )}
      {starting && <StartRun workflow={workflow.key} schema={workflow.input_schema as Schema} onClose={() => setStarting(false)} />}
    </li>
  );
}
