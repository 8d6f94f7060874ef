// charts.tsx — runs over time: columns for how many, lines for how long. Told as a table as well, for those who
// cannot see them.
import { useId, useState } from "react";
import { clockTime, count, duration } from "../../parts/format";
import { text } from "../../text";
import type { Bucket } from "./metrics";

const kWidth = 600;
const kHeight = 130;

export function Throughput({ buckets }: { buckets: Bucket[] }) {
  const most = Math.max(1, ...buckets.map((one) => one.done + one.failed));
  const width = kWidth / buckets.length;
  return (
    <Chart title={text.operations.throughput} buckets={buckets} top={count(most)} says={(one) => text.operations.bucket(one.done, one.failed)}>
      {buckets.map((one, at) => {
        const done = (one.done / most) * kHeight;
        const failed = (one.failed / most) * kHeight;
        return (
          <g key={one.from}>
            <rect x={at * width + 1} width={Math.max(1, width - 2)} y={kHeight - done} height={done} fill="var(--ok-fill)" rx={1} />
            <rect x={at * width + 1} width={Math.max(1, width - 2)} y={kHeight - done - failed} height={failed} fill="var(--bad-fill)" rx={1} />
          </g>
        );
      })}
    </Chart>
  );
}

export function Latency({ buckets }: { buckets: Bucket[] }) {
  const most = Math.max(1, ...buckets.map((one) => one.slow ?? 0));
  // Milliseconds and minutes on one chart: the height is the logarithm.
  const least = Math.min(most / 2, ...buckets.map((one) => one.median ?? most)) / 2;
  const y = (ms: number) => kHeight - 4 - (Math.log((ms + 1) / (least + 1)) / Math.log((most + 1) / (least + 1))) * (kHeight - 8);
  const width = kWidth / buckets.length;
  return (
    <Chart title={text.operations.latency} buckets={buckets} top={duration(most)} says={(one) => (one.median === null ? text.operations.none : text.operations.took(duration(one.median), duration(one.slow ?? 0)))}>
      {buckets.map((one, at) => {
        if (one.median === null || one.slow === null) return null;
        const x = (at + 0.5) * width;
        return (
          <g key={one.from}>
            <line x1={x} x2={x} y1={y(one.median)} y2={y(one.slow)} stroke="var(--wait-fill)" strokeWidth={Math.max(2, width * 0.3)} opacity={0.45} strokeLinecap="round" />
            <circle cx={x} cy={y(one.median)} r={Math.min(4, width / 3)} fill="var(--wait-fill)" />
          </g>
        );
      })}
    </Chart>
  );
}

interface Props {
  title: string;
  buckets: Bucket[];
  top: string;
  says: (bucket: Bucket) => string;
  children: React.ReactNode;
}

function Chart({ title, buckets, top, says, children }: Props) {
  const [over, setOver] = useState<number | null>(null);
  const heading = useId();
  const shown = over === null ? undefined : buckets[over];
  const first = buckets[0];
  return (
    <figure className="card chart" aria-labelledby={heading}>
      <figcaption className="row">
        <h2 id={heading} className="grow">
          {title}
        </h2>
        <span className="muted small">{shown ? `${clockTime(shown.from)} · ${says(shown)}` : top}</span>
      </figcaption>
      <svg
        viewBox={`0 0 ${kWidth} ${kHeight}`}
        preserveAspectRatio="none"
        aria-hidden="true"
        onMouseMove={(event) => {
          const box = event.currentTarget.getBoundingClientRect();
          setOver(Math.floor(((event.clientX - box.left) / box.width) * buckets.length));
        }}
        onMouseLeave={() => setOver(null)}
      >
        <line x1={0} x2={kWidth} y1={kHeight - 0.5} y2={kHeight - 0.5} stroke="var(--line)" />
        {children}
      </svg>
      <div className="row chart-axis muted small" aria-hidden="true">
        <span className="grow">{first ? clockTime(first.from) : ""}</span>
        <span>{text.operations.now}</span>
      </div>
      <table className="hidden">
        <caption>{title}</caption>
        <tbody>
          {buckets
            .filter((one) => one.done + one.failed > 0)
            .map((one) => (
              <tr key={one.from}>
                <th scope="row">{clockTime(one.from)}</th>
                <td>{says(one)}</td>
              </tr>
            ))}
        </tbody>
      </table>
    </figure>
  );
}
