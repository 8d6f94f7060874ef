// climb.tsx — a run as a climb: up a step with every record, on the time axis of the timeline; a death is a fall, and the
// last record holds it. Decorative: the words beside it say the same.
import { useMemo } from "react";
import type { Death } from "./deaths";
import type { Axis, Run } from "./timeline_model";

interface Point {
  x: number; // 0 … 1
  y: number;
}
export interface Fall {
  from: Point; // where it died
  held: Point; // where the last record caught it
  back: Point | null; // where somebody took it up
}
export interface Climb {
  climbed: Point[][]; // a line for each life
  falls: Fall[];
  anchors: Point[]; // the records
}
const kAnchorsMax = 60; // more would be a bead curtain
const kTop = 0.94; // room for the last anchor
const kUnderWay = 0.85; // of a step: what a fall loses

export function climbOf(run: Run, axis: Axis, deaths: readonly Death[]): Climb {
  const ends = run.stages
    .filter((stage) => stage.status === "succeeded" && stage.kind !== "scope" && stage.kind !== "fan" && stage.finished_at !== null)
    .map((stage) => Date.parse(stage.finished_at ?? ""))
    .sort((a, b) => a - b);
  const all = Math.max(1, run.stages.filter((stage) => stage.kind !== "scope" && stage.kind !== "fan").length);
  const height = (records: number) => Math.min(1, records / all) * kTop;
  const climbed: Point[][] = [];
  const falls: Fall[] = [];
  const anchors: Point[] = [];
  let line: Point[] = [{ x: axis.place(axis.from), y: 0 }];
  let records = 0;
  const climbUntil = (time: number) => {
    while (records < ends.length && (ends[records] ?? 0) <= time) {
      const point = { x: axis.place(ends[records++] ?? 0), y: height(records) };
      line.push(point);
      anchors.push(point);
    }
  };
  for (const death of deaths) {
    climbUntil(death.at);
    const held = line.at(-1) ?? { x: 0, y: 0 };
    const from = { x: axis.place(death.at), y: held.y + (death.under_way.length > 0 ? height(1) * kUnderWay : 0) };
    climbed.push(line);
    const back = death.back === null ? null : { x: axis.place(death.back), y: held.y };
    falls.push({ from, held, back });
    if (back === null) return { climbed, falls, anchors };
    line = [back];
  }
  climbUntil(Number.POSITIVE_INFINITY);
  const last = line.at(-1);
  // What is under way now leads on, without a record yet.
  if (last && run.completed_at === null && records < all) line.push({ x: axis.place(axis.to), y: last.y + height(1) * kUnderWay });
  climbed.push(line);
  return { climbed, falls, anchors: anchors.length > kAnchorsMax ? [] : anchors };
}

const kWide = 1000;
const kHigh = 100;
const at = (point: Point): string => `${(point.x * kWide).toFixed(1)} ${((1 - point.y) * kHigh).toFixed(1)}`;
const lineOf = (points: readonly Point[]): string => `M${points.map(at).join("L")}`;
const placeOf = (point: Point) => ({ left: `${point.x * 100}%`, top: `${(1 - point.y) * 100}%` });

export function ClimbPicture({ run, axis, deaths }: { run: Run; axis: Axis; deaths: readonly Death[] }) {
  const { climbed, falls, anchors } = useMemo(() => climbOf(run, axis, deaths), [run, axis, deaths]);
  return (
    <div className="climb" aria-hidden="true">
      <svg viewBox={`0 0 ${kWide} ${kHigh}`} preserveAspectRatio="none">
        {climbed.map((points, n) => (
          <path key={n} className="climb-rock" d={`${lineOf(points)}L${((points.at(-1)?.x ?? 0) * kWide).toFixed(1)} ${kHigh}L${((points[0]?.x ?? 0) * kWide).toFixed(1)} ${kHigh}Z`} />
        ))}
        {climbed.map((points, n) => (
          <path key={n} className="climb-rope" d={lineOf(points)} />
        ))}
        {falls.map(({ from, held, back }, n) => (
          <g key={n}>
            <path className="climb-lost" d={lineOf([held, from, { x: from.x, y: held.y }])} />
            <path className="climb-held" d={lineOf([{ x: held.x, y: held.y }, { x: back?.x ?? 1, y: held.y }])} />
          </g>
        ))}
      </svg>
      {anchors.map((point, n) => (
        <i key={n} className="climb-anchor" style={placeOf(point)} />
      ))}
      {falls.map(({ from, held, back }, n) => (
        <span key={n}>
          {held.y > 0 && <i className="climb-anchor climb-catch" style={placeOf(held)} />}
          <i className="climb-died" style={placeOf(from)} />
          {back && <i className="climb-back" style={placeOf(back)} />}
        </span>
      ))}
    </div>
  );
}
