// deaths.ts — a run whose worker died: when, what was under way, what its records kept from being done twice. Pure.
//
// The server tells of each death who died and who took the run up; what was lost and what was held follows from the
// stages. A server of before says nothing of deaths, and then nothing is drawn: a gap has other reasons, too.
import type { Run, Stage } from "./timeline_model";

export interface Death {
  at: number; // the last moment something of that worker is known of
  worker: string;
  back: number | null; // when somebody took the run up; null: nobody has yet
  by: string | null;
  charged: boolean;
  reason: string | null;
  under_way: Stage[]; // begun, not recorded: done again
  lostMs: number;
  held: number; // steps that were recorded, and not done twice
  heldMs: number;
}
interface Told {
  worker: string | null;
  epoch: number;
  last_seen: string | null;
  picked_up_by: string | null;
  picked_up_at: string | null;
  stage: string | null;
  charged: boolean;
  reason: string | null;
}

const ms = (text: string | null | undefined): number => (text ? Date.parse(text) : Number.NaN);
// Those that do something themselves; a fan, a scope, a wait consist of others.
const works = (stage: Stage): boolean => stage.kind === "step" || stage.kind === "transaction";
const kSameMoment = 1; // ms

export function deathsOf(run: Run): Death[] {
  const told = (run as { deaths?: Told[] | null }).deaths ?? [];
  return [...told].sort((a, b) => ms(a.picked_up_at) - ms(b.picked_up_at) || a.epoch - b.epoch).map((one) => deathOf(run, one));
}

function deathOf(run: Run, told: Told): Death {
  const back = Number.isNaN(ms(told.picked_up_at)) ? null : ms(told.picked_up_at);
  const before = (time: number): boolean => !Number.isNaN(time) && (back === null || time <= back);
  // A heartbeat is seconds old at times; a record that it wrote is a later sign of life.
  let at = Math.max(ms(run.started_at ?? run.created_at), Number.isNaN(ms(told.last_seen)) ? 0 : ms(told.last_seen));
  for (const stage of run.stages) {
    for (const time of [ms(stage.finished_at), ms(stage.started_at), ...stage.failed_attempts.map((one) => ms(one.finished_at))]) {
      if (before(time) && time > at && time !== back) at = time;
    }
  }
  if (back !== null) at = Math.min(at, back);
  const recorded = run.stages.filter((stage) => works(stage) && stage.status === "succeeded" && ms(stage.finished_at) <= at + kSameMoment);
  const under_way = run.stages.filter((stage) => works(stage) && wasUnderWay(stage, at, back, told.stage));
  const lostMs = under_way.reduce((sum, stage) => sum + Math.max(0, at - begun(run, stage, at)), 0);
  return {
    at,
    worker: told.worker ?? "",
    back,
    by: told.picked_up_by,
    charged: told.charged,
    reason: told.reason,
    under_way,
    lostMs,
    held: recorded.length,
    heldMs: recorded.reduce((sum, stage) => sum + (stage.duration_ms ?? 0), 0),
  };
}

// It had begun before and ended after; or the server names it, which knows of steps too young to have a row.
function wasUnderWay(stage: Stage, at: number, back: number | null, named: string | null): boolean {
  const ended = ms(stage.finished_at);
  const over = !Number.isNaN(ended) && ended <= (back ?? at) - kSameMoment;
  if (over) return false;
  return stage.path === named || stage.stage_key === named || ms(stage.started_at) <= at;
}

// When the part that was lost began: at the end of the attempt before it, or of what came before the stage.
export function begun(run: Run, stage: Stage, at: number): number {
  const failed = stage.failed_attempts.map((one) => ms(one.finished_at)).filter((time) => time <= at);
  if (failed.length > 0) return Math.max(...failed);
  if (ms(stage.started_at) <= at) return ms(stage.started_at);
  const ends = run.stages.filter((other) => other.path !== stage.path).map((other) => ms(other.finished_at)).filter((time) => time <= at);
  return Math.min(at, Math.max(ms(run.started_at ?? run.created_at), ...ends));
}

// A worker is HOST/PROCESS/MARK; the server tells the mark alone, or the whole.
export function workerName(worker: string | null): string {
  const parts = (worker ?? "").split("/");
  return parts.length > 1 ? `${parts[0]} (${parts[1]})` : (parts[0] ?? "");
}
