// workers.tsx — who works: every process that executes runs, and what the one that answers has done since it began.
import { useMemo } from "react";
import { call } from "../../api/client";
import { count, since, time } from "../../parts/format";
import { useResource } from "../../state/resource";
import { text } from "../../text";
import { kindName } from "../run/run_name";
import { parseMetrics, valueOf, type Sample } from "./metrics";
import { readMetrics } from "./read_metrics";
import { Section } from "./section";

export function Workers() {
  const told = useResource("workers", async () => (await call("GET /api/workers")).workers, 10_000, 3000);
  const metrics = useResource("metrics", readMetrics, 3000, 1000);
  const samples = useMemo(() => (metrics.value ? parseMetrics(metrics.value) : []), [metrics.value]);
  return (
    <Section title={text.operations.workers} told={told} icon="operations" empty={text.operations.noWorkers} emptyAdvice={text.operations.noWorkersAdvice}>
      {(all) => (
        <>
          <ul className="ops-list">
            {all.map((worker) => (
              <li className="ops-row" key={worker.name}>
                <div className="ops-name">
                  <b className="mono cut">{worker.name}</b>
                  <p className="small muted">{worker.code_version && text.operations.version(worker.code_version)}</p>
                </div>
                <p className="small">
                  <time title={time(worker.since)}>{text.operations.upSince(since(worker.since))}</time>
                </p>
                <p className="small muted ops-wide">{worker.workflow_keys.map(kindName).join(", ")}</p>
              </li>
            ))}
          </ul>
          {samples.length > 0 && <h3 className="worker-head">{text.operations.sinceStart}</h3>}
          <dl className="worker">
            {facts(samples).map(([name, value]) => (
              <div key={name}>
                <dt className="muted small">{name}</dt>
                <dd>{value}</dd>
              </div>
            ))}
          </dl>
        </>
      )}
    </Section>
  );
}

function facts(samples: Sample[]): [string, string][] {
  return Object.entries(text.operations.worker).flatMap(([metric, word]): [string, string][] => {
    const value = valueOf(samples, metric);
    return value === undefined ? [] : [[word, count(value)]];
  });
}
