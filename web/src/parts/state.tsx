// state.tsx — a state as shape, word and colour; one table for runs, stages, uploads, lines and messages.
import { text } from "../text";
import { Icon, type IconName } from "./icon";

export type Tone = "run" | "ok" | "bad" | "wait" | "still" | "doubt";

const looks: Record<string, [Tone, IconName]> = {
  queued: ["still", "queued"],
  slot: ["still", "line"], // begun by nobody yet: every thread is at work
  helper: ["wait", "line"], // begun, and waits for a reader
  ingested: ["still", "queued"],
  pending: ["still", "queued"],
  uploading: ["run", "run"],
  running: ["run", "run"],
  workflow_running: ["run", "run"],
  processing: ["run", "run"],
  retrying: ["doubt", "retry"],
  waiting: ["wait", "wait"],
  paused: ["still", "pause"],
  stalled: ["doubt", "doubt"],
  succeeded: ["ok", "done"],
  completed: ["ok", "done"],
  classified: ["ok", "done"],
  done: ["ok", "done"],
  failed: ["bad", "failed"],
  classification_failed: ["bad", "failed"],
  dead: ["bad", "failed"],
  canceled: ["still", "stop"],
  skipped: ["still", "skip"],
  manual_review: ["doubt", "doubt"],
  review: ["doubt", "doubt"],
  auto: ["ok", "link"],
  manual: ["ok", "link"],
  matched: ["ok", "link"],
  confirmed: ["ok", "done"],
  approved: ["ok", "done"],
  taken: ["still", "fork"],
  unmatched: ["doubt", "doubt"],
  credit: ["still", "skip"],
  partially_matched: ["doubt", "link"],
  ignored: ["still", "skip"],
};

// What a run can be doing, as the server filters and counts it.
export const runStates = ["queued", "slot", "helper", "running", "retrying", "waiting", "paused", "failed", "succeeded", "canceled"] as const;

export function toneOf(status: string): Tone {
  return looks[status]?.[0] ?? "still";
}
export function iconOf(status: string): IconName {
  return looks[status]?.[1] ?? "queued";
}
export function State({ status, word }: { status: string; word?: string }) {
  const known: Record<string, string> = text.states;
  return (
    <span className={`state tone-${toneOf(status)}`}>
      <Icon name={iconOf(status)} size={13} spin={iconOf(status) === "run"} />
      {word ?? known[status] ?? status.replaceAll("_", " ")}
    </span>
  );
}

const finished = new Set(["approved", "succeeded", "failed", "canceled", "classified", "classification_failed", "completed", "skipped", "manual_review"]);
export function isOver(status: string): boolean {
  return finished.has(status);
}
