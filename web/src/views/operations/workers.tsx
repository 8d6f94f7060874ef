// workers.tsx — the process that does the work, as its metrics tell it: what it did since it began, how far behind it is.
import { useMemo } from "react";
import { count } from "../../parts/format";
import { useResource } from "../../state/resource";
import { text } from "../../text";
import { parseMetrics, valueOf, type Sample } from "./metrics";
import { readMetrics } from "./read_metrics";

export function Workers() {
  const told = useResource("metrics", readMetrics, 3000);
  const samples = useMemo(() => (told.value ? parseMetrics(told.value) : []), [told.value]);
  if (samples.length === 0) return null;
  const shown = facts(samples);
  return (
    <section className="card section" aria-label={text.operations.workers}>
      <h2>{text.operations.workers}</h2>
      <dl className="worker">
        {shown.map(([name, value]) => (
          <div key={name}>
            <dt className="muted small">{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

// Only what this server measures.
function facts(samples: Sample[]): [string, string][] {
  const names = Object.entries(text.operations.worker);
  return names.flatMap(([name, word]): [string, string][] => {
    const value = valueOf(samples, name);
    return value === undefined ? [] : [[word, count(value)]];
  });
}
