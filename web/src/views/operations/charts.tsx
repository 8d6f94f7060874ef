// charts.tsx — runs over time: columns for how many, marks for how long. Told as a table as well, for those who
// cannot see them.
import { useId, useState } from "react";
import type { Answer } from "../../api/client";
import { count, dayTime, duration, minuteTime } from "../../parts/format";
import { text } from "../../text";
import { scaleOf } from "./scale";

export type Activity = Answer<"GET /api/activity">;
type Bucket = Activity["buckets"][number];

export function Throughput({ activity }: { activity: Activity }) {
  const words = text.operations;
  const marks = scaleOf(Math.max(...activity.buckets.map((one) => one.succeeded + one.failed + one.canceled)));
  const top = marks.at(-1) ?? 1;
  return (
    <Chart
      title={words.throughput}
      activity={activity}
      marks={marks.map((value) => ({ at: value / top, word: count(value) }))}
      says={(one) => words.bucket(one.succeeded, one.failed, one.canceled)}
      legend={[
        ["var(--ok-fill)", text.states.succeeded],
        ["var(--bad-fill)", text.states.failed],
        ["var(--still-fill)", text.states.canceled],
      ]}
    >
      {(one) => (
        <>
          <i style={{ height: share(one.canceled / top), background: "var(--still-fill)" }} />
          <i style={{ height: share(one.failed / top), background: "var(--bad-fill)" }} />
          <i style={{ height: share(one.succeeded / top), background: "var(--ok-fill)" }} />
        </>
      )}
    </Chart>
  );
}

export function Latency({ activity }: { activity: Activity }) {
  const words = text.operations;
  const times = activity.buckets.flatMap((one) => (one.slow_ms === null || one.median_ms === null ? [] : [one.median_ms, one.slow_ms]));
  // Milliseconds and minutes on one chart: each line is ten times the one below it.
  const low = Math.floor(Math.log10(Math.max(1, Math.min(...times, 1000))));
  const high = Math.max(low + 1, Math.ceil(Math.log10(Math.max(1, ...times))));
  const place = (ms: number) => Math.max(0, (Math.log10(Math.max(1, ms)) - low) / (high - low));
  const marks = Array.from({ length: high - low + 1 }, (_, at) => ({ at: at / (high - low), word: tenth(10 ** (low + at)) }));
  return (
    <Chart
      title={words.latency}
      activity={activity}
      marks={marks}
      says={(one) => (one.median_ms === null ? words.none : words.took(duration(one.median_ms), duration(one.slow_ms ?? 0)))}
      legend={[
        ["var(--wait-fill)", words.median],
        ["color-mix(in srgb, var(--wait-fill) 35%, transparent)", words.slow],
      ]}
    >
      {(one) =>
        one.median_ms !== null &&
        one.slow_ms !== null && (
          <>
            <b className="chart-range" style={{ bottom: share(place(one.median_ms)), height: share(place(one.slow_ms) - place(one.median_ms)) }} />
            <b className="chart-dot" style={{ bottom: share(place(one.median_ms)) }} />
          </>
        )
      }
    </Chart>
  );
}

const share = (part: number): string => `${(part * 100).toFixed(2)}%`;
const tenth = (ms: number): string => (ms < 1000 ? `${ms} ms` : `${count(ms / 1000)} s`);

interface Props {
  title: string;
  activity: Activity;
  marks: { at: number; word: string }[];
  says: (bucket: Bucket) => string;
  legend: [string, string][];
  children: (bucket: Bucket) => React.ReactNode;
}

function Chart({ title, activity, marks, says, legend, children }: Props) {
  const [over, setOver] = useState<number | null>(null);
  const heading = useId();
  const { buckets } = activity;
  const shown = over === null ? undefined : buckets[over];
  const long = Date.parse(activity.until) - Date.parse(activity.from) > 86_400_000 * 1.5;
  const when = (bucket: Bucket) => (long ? dayTime(bucket.from) : minuteTime(bucket.from));
  const ticks = [0, 1, 2, 3].map((part) => Math.floor((part * buckets.length) / 4));
  return (
    <figure className="card chart" aria-labelledby={heading}>
      <figcaption className="row wrap">
        <h2 id={heading} className="grow">
          {title}
        </h2>
        <span className="chart-legend muted small" aria-hidden="true">
          {shown ? (
            `${when(shown)} · ${says(shown)}`
          ) : (
            <>
              {legend.map(([colour, word]) => (
                <span key={word}>
                  <i style={{ background: colour }} /> {word}
                </span>
              ))}
            </>
          )}
        </span>
      </figcaption>
      <div className="chart-area" aria-hidden="true" onMouseLeave={() => setOver(null)}>
        {marks.map((mark) => (
          <span key={mark.word} className="chart-mark" style={{ bottom: share(mark.at) }}>
            {mark.word}
          </span>
        ))}
        <div className="chart-columns">
          {buckets.map((one, at) => (
            <span key={one.from} className="chart-column" data-over={at === over || undefined} onMouseEnter={() => setOver(at)}>
              {children(one)}
            </span>
          ))}
        </div>
      </div>
      <div className="chart-axis muted small" aria-hidden="true">
        {ticks.map((at) => {
          const bucket = buckets[at];
          return <span key={at}>{bucket ? when(bucket) : ""}</span>;
        })}
        <span>{text.operations.now}</span>
      </div>
      {!activity.complete && <p className="small muted">{text.operations.notAll}</p>}
      {/* A table is as wide as its words, however narrow it is told to be. */}
      <div className="hidden">
        <table>
          <caption>{title}</caption>
          <tbody>
            {buckets
              .filter((one) => one.succeeded + one.failed + one.canceled > 0)
              .map((one) => (
                <tr key={one.from}>
                  <th scope="row">{when(one)}</th>
                  <td>{says(one)}</td>
                </tr>
              ))}
          </tbody>
        </table>
      </div>
    </figure>
  );
}
