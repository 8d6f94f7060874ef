// timeline_model.ts — from a run's stages to rows and bars; pure, so that it can be tested without a browser.
//
// A bar is a part of a stage's life: the wait for its turn, an attempt that failed or died, the pause before the next,
// the attempt that counts. Waiting is not work: what only waits has looks of its own, and counts for nothing. A group is as
// long as what is in it, and worked as long as that did. The axis is time, with one liberty: where nothing ran for long (a
// week until somebody approves) it is cut to a narrow fold, or the work beside the wait could not be seen.
import type { Answer } from "../../api/client";
import { begun, type Death } from "./deaths";

export type Run = Answer<"GET /api/runs/{id}">;
export type Stage = Run["stages"][number];

export interface Bar {
  from: number; // ms
  to: number;
  look: "done" | "failed" | "lost" | "run" | "queued" | "pause" | "wait" | "skipped" | "group";
  attempt: number;
  worker: string | null;
  note: string;
}
export interface Row {
  stage: Stage;
  depth: number;
  bars: Bar[];
  attempt: number; // with those that died
  taken: boolean; // from the run that this one was forked from
  took: { worked: number; waited: number } | null; // ms; null: nothing of it has begun
  inside: number; // stages inside it
  insideDone: number;
  insideFailed: number;
  open: boolean;
}

const kWaits = new Set(["sleep", "receive", "child"]);
const isWaiting = (stage: Stage): boolean => kWaits.has(stage.kind);
export const kOpenMax = 200; // a fan with more branches is shown closed until somebody opens it

const ms = (text: string | null): number => (text === null ? Number.NaN : Date.parse(text));

// Recorded before this run was there: by the run that it was forked from, and not done again.
export function isTaken(run: Run, stage: Stage): boolean {
  return run.forked_from !== null && run.forked_from !== undefined && ms(stage.finished_at) < ms(run.created_at);
}

// `ready`: since when nothing but its turn was missing. `deaths`: those of the run's workers.
export function barsOf(stage: Stage, now: number, ready = Number.NaN, deaths: readonly Death[] = [], run?: Run): Bar[] {
  const bars: Bar[] = [];
  const recorded = ms(stage.started_at);
  if (run && isTaken(run, stage)) return bars;
  const died = deaths.filter((death) => death.under_way.includes(stage));
  const first = died[0];
  // Too young to have a record when its worker died: only its second beginning is known.
  let from = first && run && !(recorded <= first.at) ? begun(run, stage, first.at) : recorded;
  if (Number.isNaN(from)) {
    if (stage.finished_at === null && !Number.isNaN(ready)) bars.push(bar(ready, now, "queued", stage.attempt));
    return bars;
  }
  if (from - ready >= kTurnMs) bars.push(bar(ready, from, "queued", 1));
  let worker: string | null = null;
  // So far. A record counts the deaths that it knows of, and not those before it was there.
  let attempts = 0;
  let lost = 0; // of them, those that nobody recorded as failed
  const die = (until: number) => {
    while (died[0] !== undefined && died[0].at <= until) {
      const death = died.shift() as Death;
      bars.push({ ...bar(from, death.at, "lost", ++attempts), worker: death.worker });
      lost++;
      from = Math.max(death.back ?? now, recorded > death.at ? recorded : 0);
      worker = death.by;
    }
  };
  for (const failed of stage.failed_attempts) {
    const began = Number.isNaN(ms(failed.started_at)) ? from : ms(failed.started_at);
    die(began);
    if (began > from && bars.some((one) => one.look === "failed")) bars.push(bar(from, began, "pause", Math.max(failed.attempt, attempts + 1)));
    const ended = Number.isNaN(ms(failed.finished_at)) ? began : ms(failed.finished_at);
    attempts = Math.max(failed.attempt, attempts + 1);
    bars.push({ from: began, to: ended, look: "failed", attempt: attempts, worker: failed.worker, note: failed.message });
    worker = failed.worker;
    from = ended;
  }
  die(Number.POSITIVE_INFINITY);
  const attempt = Math.max(stage.attempt, attempts + (stage.status === "failed" && bars.at(-1)?.look === "failed" ? 0 : 1));
  if (stage.status === "retrying") {
    bars.push(bar(from, now, "pause", attempt));
    return bars;
  }
  const over = stage.finished_at !== null;
  const to = over ? ms(stage.finished_at) : now;
  if (over && stage.status === "failed" && bars.some((one) => one.look === "failed") && to - from < 5) return bars; // its last attempt says it
  if (!over && lost > 0 && from >= now) return bars; // nobody has taken it up yet
  bars.push({ from, to: Math.max(from, to), look: lookOf(stage), attempt, worker, note: stage.message ?? "" });
  return bars;
}

const kTurnMs = 20; // less than that nobody waited

function bar(from: number, to: number, look: Bar["look"], attempt: number): Bar {
  return { from, to: Math.max(from, to), look, attempt, worker: null, note: "" };
}

function lookOf(stage: Stage): Bar["look"] {
  if (stage.status === "failed") return "failed";
  if (stage.status === "skipped" || stage.status === "canceled") return "skipped";
  if (isWaiting(stage)) return "wait";
  if (isGroup(stage)) return "group";
  if (stage.status === "queued") return "queued";
  return stage.finished_at === null ? "run" : "done";
}

function comparePaths(a: string, b: string): number {
  const left = a.split(".");
  const right = b.split(".");
  for (let at = 0; at < Math.min(left.length, right.length); at++) {
    const difference = Number(left[at]) - Number(right[at]);
    if (difference) return difference;
  }
  return left.length - right.length;
}

// In the order of the code. Before it what has no place in it (patches, guards), after it what was undone, in its turn.
const isUndo = (stage: Stage): boolean => stage.path.startsWith("undo:");
const rankOf = (stage: Stage): number => (isUndo(stage) ? 2 : Number(/^[\d.]+$/.test(stage.path)));
export function compareStages(a: Stage, b: Stage): number {
  return rankOf(a) - rankOf(b) || (isUndo(a) ? a.position - b.position : comparePaths(a.path, b.path));
}

// The rows that are shown, in the order of the code. `toggled`: the groups that somebody opened or closed by hand.
export function rowsOf(run: Run, now: number, toggled: ReadonlySet<string>, deaths: readonly Death[] = []): Row[] {
  const sorted = [...run.stages].sort(compareStages);
  const readies = readiesOf(run, sorted, deaths);
  const groups = new Map<string, Row>();
  const rows: Row[] = [];
  for (const stage of sorted) {
    const parents = parentsOf(stage.path).flatMap((path) => groups.get(path) ?? []);
    const row: Row = { stage, depth: parents.length, bars: [], attempt: stage.attempt, taken: isTaken(run, stage), took: null, inside: 0, insideDone: 0, insideFailed: 0, open: true };
    groups.set(stage.path, row);
    const parent = parents.at(-1);
    if (parent) {
      parent.inside++;
      if (stage.finished_at !== null) parent.insideDone++;
      if (stage.status === "failed") parent.insideFailed++;
    }
    rows.push(row);
  }
  const within = workWithin(run, sorted, now, deaths);
  const shown: Row[] = [];
  const closed: string[] = [];
  for (const row of rows) {
    const hidden = closed.some((path) => row.stage.path.startsWith(`${path}.`));
    if (hidden) continue;
    row.open = row.inside > 0 && row.inside > kOpenMax === toggled.has(row.stage.path);
    if (row.inside > 0 && !row.open) closed.push(row.stage.path);
    row.bars = barsOf(row.stage, now, readies.get(row.stage.path), deaths, run);
    row.attempt = row.bars.reduce((most, one) => Math.max(most, one.attempt), row.stage.attempt);
    row.took = tookOf(row.bars);
    if (row.took && row.inside > 0) row.took = { worked: lengthOf(within.get(row.stage.path) ?? []), waited: 0 };
    shown.push(row);
  }
  return shown;
}

// Since when each stage could have begun: the end of what came before it, the beginning of what it is in, the time the
// run was taken up again. Stages without a place in the order of the code (patches, guards) wait for nothing.
function readiesOf(run: Run, sorted: readonly Stage[], deaths: readonly Death[]): Map<string, number> {
  const known = new Map(sorted.map((stage) => [stage.path, stage]));
  const readies = new Map<string, number>();
  for (const stage of sorted) {
    if (!/^[\d.]+$/.test(stage.path)) continue;
    const parts = stage.path.split(".");
    const parent = parts.length > 1 ? known.get(parts.slice(0, -1).join(".")) : undefined;
    const last = Number(parts.at(-1));
    const before = parent?.kind === "fan" ? undefined : known.get([...parts.slice(0, -1), last - 1].join("."));
    let ready = before && isTaken(run, before) ? ms(run.created_at) : before ? ms(before.finished_at) : parent ? ms(parent.started_at) : last === 1 ? ms(run.created_at) : Number.NaN;
    for (const death of deaths) {
      if (death.back !== null && death.back > ready && death.back <= ms(stage.started_at)) ready = death.back;
    }
    readies.set(stage.path, ready);
  }
  return readies;
}

const kIdle = new Set<Bar["look"]>(["queued", "pause", "wait"]);
const worksIn = (one: Bar): boolean => !kIdle.has(one.look) && one.look !== "skipped";

function tookOf(bars: readonly Bar[]): Row["took"] {
  if (bars.length === 0) return null;
  const span = (wanted: (one: Bar) => boolean) => bars.filter(wanted).reduce((sum, one) => sum + one.to - one.from, 0);
  return { worked: span((one) => worksIn(one) && one.look !== "lost"), waited: span((one) => kIdle.has(one.look)) };
}

// The same for one stage that is no group, as its row says it.
export function tookIn(run: Run, stage: Stage, now: number, deaths: readonly Death[]): Row["took"] {
  const sorted = [...run.stages].sort((a, b) => comparePaths(a.path, b.path));
  return tookOf(barsOf(stage, now, readiesOf(run, sorted, deaths).get(stage.path), deaths, run));
}

// Without a look at the others: for pictures of thousands.
export function workedIn(run: Run, stage: Stage, deaths: readonly Death[]): number {
  const bars = barsOf(stage, ms(stage.finished_at), Number.NaN, deaths, run);
  return isWaiting(stage) ? lengthOf(bars.map((one): Span => [one.from, one.to])) : (tookOf(bars)?.worked ?? 0);
}

// How long somebody worked on the run: parallel branches count once, waits not at all.
export function workedOf(run: Run, now: number, deaths: readonly Death[] = []): number {
  return lengthOf(run.stages.flatMap((stage) => workIn(run, stage, now, deaths)));
}

type Span = [from: number, to: number];

function lengthOf(spans: Span[]): number {
  let worked = 0;
  let reached = Number.NEGATIVE_INFINITY;
  for (const [from, to] of spans.sort((a, b) => a[0] - b[0])) {
    worked += Math.max(0, to - Math.max(from, reached));
    reached = Math.max(reached, to);
  }
  return worked;
}

// A scope or a fan is as long as what is in it, waits and all: it is no work of its own.
export const isGroup = (stage: Stage): boolean => stage.kind === "scope" || stage.kind === "fan";
const isWork = (stage: Stage, one: Bar): boolean => worksIn(one) && !isGroup(stage);

function workIn(run: Run, stage: Stage, now: number, deaths: readonly Death[]): Span[] {
  return barsOf(stage, now, Number.NaN, deaths, run).filter((one) => isWork(stage, one)).map((one): Span => [one.from, one.to]);
}

// When somebody worked on what is inside each stage.
function workWithin(run: Run, sorted: readonly Stage[], now: number, deaths: readonly Death[]): Map<string, Span[]> {
  const within = new Map<string, Span[]>();
  for (const stage of sorted) {
    const parents = parentsOf(stage.path);
    if (parents.length === 0) continue;
    const spans = workIn(run, stage, now, deaths);
    for (const parent of parents) {
      const all = within.get(parent);
      if (all) all.push(...spans);
      else within.set(parent, [...spans]);
    }
  }
  return within;
}

function parentsOf(path: string): string[] {
  const parts = path.split(".");
  return parts.slice(1).map((_, at) => parts.slice(0, at + 1).join("."));
}

// Time to a share of the width. Folds are stretches in which nothing worked.
export interface Axis {
  from: number;
  to: number;
  folds: { from: number; to: number; at: number }[]; // `at`: where on the width, 0 … 1
  place: (time: number) => number;
  ticks: { time: number; at: number }[];
}
const kFoldShare = 0.05;

export function axisOf(run: Run, now: number, deaths: readonly Death[] = []): Axis {
  const work: [number, number][] = [];
  let from = ms(run.created_at);
  let to = run.completed_at === null ? now : ms(run.completed_at);
  for (const stage of run.stages) {
    for (const one of barsOf(stage, now, Number.NaN, deaths, run)) {
      if (isWork(stage, one)) work.push([one.from, one.to]);
      from = Math.min(from, one.from);
      to = Math.max(to, one.to);
    }
  }
  to = Math.max(to, from + 1);
  const folds = foldsOf(work, from, to);
  const folded = folds.reduce((sum, fold) => sum + fold.to - fold.from, 0);
  const room = 1 - folds.length * kFoldShare;
  const scale = room / Math.max(1, to - from - folded);
  const place = (time: number): number => {
    let at = 0;
    let last = from;
    for (const fold of folds) {
      if (time <= fold.from) break;
      at += (fold.from - last) * scale;
      if (time < fold.to) return at + ((time - fold.from) / (fold.to - fold.from)) * kFoldShare;
      at += kFoldShare;
      last = fold.to;
    }
    return Math.min(1, Math.max(0, at + (time - last) * scale));
  };
  return { from, to, folds: folds.map((fold) => ({ ...fold, at: place(fold.from) })), place, ticks: ticksOf(from, to, folds, place) };
}

function foldsOf(work: [number, number][], from: number, to: number): { from: number; to: number }[] {
  work.sort((a, b) => a[0] - b[0]);
  const gaps: { from: number; to: number }[] = [];
  let busy = 0;
  let reached = from;
  for (const [begin, end] of work) {
    if (begin > reached) gaps.push({ from: reached, to: begin });
    busy += Math.max(0, end - Math.max(begin, reached));
    reached = Math.max(reached, end);
  }
  if (to > reached) gaps.push({ from: reached, to });
  // Short waits are part of the picture; folds are for what would squeeze it.
  return gaps.filter((gap) => gap.to - gap.from > Math.max(5_000, busy * 3)).slice(0, 8);
}

function ticksOf(from: number, to: number, folds: { from: number; to: number }[], place: (time: number) => number): { time: number; at: number }[] {
  const span = to - from - folds.reduce((sum, fold) => sum + fold.to - fold.from, 0);
  const rough = span / 5;
  const size = 10 ** Math.floor(Math.log10(Math.max(1, rough)));
  const step = [1, 2, 5, 10].map((times) => times * size).find((one) => one >= rough) ?? rough;
  const ticks: { time: number; at: number }[] = [];
  for (let time = from; time <= to && ticks.length < 12; time += Math.max(1, step)) {
    const fold = folds.find((one) => time > one.from && time < one.to);
    if (fold) {
      time = fold.to;
    }
    const at = place(time);
    if (at < 0.93 && (ticks.length === 0 || at - (ticks.at(-1)?.at ?? 0) > 0.08)) ticks.push({ time, at });
  }
  return ticks;
}
