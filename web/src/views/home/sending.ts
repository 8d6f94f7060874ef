// sending.ts — files on their way: one request a file, a few at a time, kept outside the views so that leaving the
// page "Uploads" does not stop them. What was cut off goes on when the server is back.
import { useSyncExternalStore } from "react";
import { asFailure } from "../../api/client";
import { uploadFiles } from "../../api/upload";
import { live } from "../../live/connection";
import { failureLine } from "../../parts/placards";
import { refreshWhere } from "../../state/resource";
import { notReloadedWhile, unfinishedChanged } from "../../state/unfinished";
import { guess } from "./guess";
import type { Kind } from "./kinds";

export interface Sending {
  key: number;
  name: string;
  size: number;
  type: Kind["type"] | null; // null: to be found out when it is its turn
  part: number; // 0 … 1
  // asked: we are not sure what it is; held: the server was not there, or busy
  state: "queued" | "asked" | "uploading" | "held" | "done" | "failed";
  problem: string;
  runId: string;
  duplicate: boolean;
}
export interface Batch {
  files: number; // since none was on its way
  sent: number;
}

const kAtOnce = 3;
const kBusyMs = 3000;
let all: Sending[] = [];
let batch: Batch = { files: 0, sent: 0 };
let nextKey = 1;
const files = new Map<number, { file: File; stop: AbortController; again: boolean }>();
const watchers = new Set<() => void>();
const arrivals = new Set<() => void>();

const underWay = (one: Sending): boolean => one.state === "uploading" || one.state === "queued" || one.state === "held";

function change(next: Sending[]): void {
  all = next;
  for (const watcher of watchers) watcher();
  unfinishedChanged();
}
function update(key: number, news: Partial<Sending>): void {
  change(all.map((one) => (one.key === key ? { ...one, ...news } : one)));
}

// `type` null: find out. In a task of its own: to take 500 files over from the browser is one already, and the list of them
// is drawn in this.
export function send(chosen: File[], type: Kind["type"] | null): void {
  setTimeout(() => take(chosen, type));
}
function take(chosen: File[], type: Kind["type"] | null): void {
  const added = chosen.map((file): Sending => {
    const key = nextKey++;
    files.set(key, { file, stop: new AbortController(), again: false });
    return { key, name: file.name, size: file.size, type, part: 0, state: "queued", problem: "", runId: "", duplicate: false };
  });
  batch = all.some(underWay) ? { ...batch, files: batch.files + added.length } : { files: added.length, sent: 0 };
  change([...added, ...all.filter((one) => one.state !== "done")]);
  pump();
}

// What somebody says a file is that we were not sure of.
export function sendAs(keys: number[], type: Kind["type"] | null): void {
  change(all.map((one) => (one.state === "asked" && keys.includes(one.key) ? { ...one, type: type ?? one.type, state: "queued" } : one)));
  pump();
}

export function stopSending(key: number): void {
  files.get(key)?.stop.abort();
  files.delete(key);
  if (all.some((one) => one.key === key && one.state !== "done" && one.state !== "failed")) batch = { ...batch, files: batch.files - 1 };
  change(all.filter((one) => one.key !== key));
  pump();
}
export function stopAll(): void {
  const gone = all.filter((one) => underWay(one) || one.state === "asked");
  for (const one of gone) {
    files.get(one.key)?.stop.abort();
    files.delete(one.key);
  }
  batch = { files: batch.sent, sent: batch.sent };
  change(all.filter((one) => !gone.includes(one)));
}
export function sendAgain(key: number): void {
  const known = files.get(key);
  if (!known) return;
  files.set(key, { file: known.file, stop: new AbortController(), again: true });
  update(key, { state: "queued", part: 0, problem: "" });
  pump();
}

function pump(): void {
  const busy = all.filter((one) => one.state === "uploading").length;
  const next = all.filter((one) => one.state === "queued").slice(0, Math.max(0, kAtOnce - busy));
  for (const one of next) void sendOne(one);
}

async function sendOne(one: Sending): Promise<void> {
  const known = files.get(one.key);
  if (!known) return;
  update(one.key, { state: "uploading" });
  let { type } = one;
  if (type === null) {
    const guessed = await guess(known.file);
    if (!files.has(one.key)) return; // taken away meanwhile
    type = guessed.type;
    update(one.key, { type, ...(guessed.sure ? {} : { state: "asked" as const }) });
    if (!guessed.sure) return pump();
  }
  try {
    const told = await uploadFiles([known.file], type, (part) => update(one.key, { part }), known.stop.signal);
    const refused = told.errors[0];
    const taken = told.uploads[0];
    if (refused || !taken) update(one.key, { state: "failed", problem: refused?.error ?? "" });
    else arrived(one.key, taken.workflow_run_id, taken.duplicate && !known.again);
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") return;
    const failure = asFailure(error);
    if (failure.kind === "offline" || failure.kind === "busy") hold(one.key, failure.kind);
    else update(one.key, { state: "failed", problem: failureLine(failure) });
  }
  pump();
}

function arrived(key: number, runId: string, duplicate: boolean): void {
  files.delete(key);
  batch = { ...batch, sent: batch.sent + 1 };
  update(key, { state: "done", part: 1, runId, duplicate });
  refreshWhere((name) => name.startsWith("runs") || name.startsWith("uploads"));
  for (const arrival of arrivals) arrival();
  // The list below has it now; a duplicate stays to say so.
  if (!duplicate) setTimeout(() => change(all.filter((other) => other.key !== key)), 1500);
}

// Nobody answered: the bytes are still here, and go when somebody does. It may have come nevertheless: then it is known.
function hold(key: number, why: "offline" | "busy"): void {
  const known = files.get(key);
  if (!known) return;
  known.again = true;
  update(key, { state: "held", part: 0 });
  if (why === "busy" || live.state === "open") setTimeout(goOn, kBusyMs);
}
function goOn(): void {
  if (!all.some((one) => one.state === "held")) return;
  change(all.map((one) => (one.state === "held" ? { ...one, state: "queued" } : one)));
  pump();
}
live.watch(() => live.state === "open" && goOn());

const subscribe = (watcher: () => void) => {
  watchers.add(watcher);
  return () => watchers.delete(watcher);
};
export function useSendings(): Sending[] {
  return useSyncExternalStore(subscribe, () => all);
}
export function useBatch(): Batch {
  return useSyncExternalStore(subscribe, () => batch);
}
export function onArrival(hearer: () => void): () => void {
  arrivals.add(hearer);
  return () => arrivals.delete(hearer);
}

notReloadedWhile(() => all.some(underWay));
