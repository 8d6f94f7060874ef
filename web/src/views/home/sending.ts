// sending.ts — files on their way: one request a file, a few at a time, kept outside the views so that leaving the
// page "Uploads" does not stop them.
import { useSyncExternalStore } from "react";
import { asFailure } from "../../api/client";
import { uploadFiles } from "../../api/upload";
import { failureLine } from "../../parts/placards";
import { refreshWhere } from "../../state/resource";
import { notReloadedWhile, unfinishedChanged } from "../../state/unfinished";
import type { Kind } from "./kinds";

export interface Sending {
  key: number;
  name: string;
  size: number;
  type: Kind["type"];
  part: number; // 0 … 1
  state: "queued" | "uploading" | "done" | "failed";
  problem: string;
  runId: string;
  duplicate: boolean;
}

const kAtOnce = 3;
let all: Sending[] = [];
let nextKey = 1;
const files = new Map<number, { file: File; stop: AbortController }>();
const watchers = new Set<() => void>();
const arrivals = new Set<() => void>();

function change(next: Sending[]): void {
  all = next;
  for (const watcher of watchers) watcher();
  unfinishedChanged();
}
function update(key: number, news: Partial<Sending>): void {
  change(all.map((one) => (one.key === key ? { ...one, ...news } : one)));
}

export function send(chosen: File[], type: Kind["type"]): void {
  const added = chosen.map((file): Sending => {
    const key = nextKey++;
    files.set(key, { file, stop: new AbortController() });
    return { key, name: file.name, size: file.size, type, part: 0, state: "queued", problem: "", runId: "", duplicate: false };
  });
  change([...added, ...all.filter((one) => one.state !== "done")]);
  pump();
}

export function stopSending(key: number): void {
  files.get(key)?.stop.abort();
  files.delete(key);
  change(all.filter((one) => one.key !== key));
  pump();
}
export function sendAgain(key: number): void {
  const known = files.get(key);
  if (!known) return;
  files.set(key, { file: known.file, stop: new AbortController() });
  update(key, { state: "queued", part: 0, problem: "" });
  pump();
}

function pump(): void {
  const under_way = all.filter((one) => one.state === "uploading").length;
  const next = all.filter((one) => one.state === "queued").slice(0, Math.max(0, kAtOnce - under_way));
  for (const one of next) void sendOne(one);
}

async function sendOne(one: Sending): Promise<void> {
  const known = files.get(one.key);
  if (!known) return;
  update(one.key, { state: "uploading" });
  try {
    const told = await uploadFiles([known.file], one.type, (part) => update(one.key, { part }), known.stop.signal);
    const refused = told.errors[0];
    const taken = told.uploads[0];
    if (refused || !taken) update(one.key, { state: "failed", problem: refused?.error ?? "" });
    else {
      files.delete(one.key);
      update(one.key, { state: "done", part: 1, runId: taken.workflow_run_id, duplicate: taken.duplicate });
      refreshWhere(() => true);
      for (const arrival of arrivals) arrival();
      // The list below has it now; a duplicate stays to say so.
      if (!taken.duplicate) setTimeout(() => change(all.filter((other) => other.key !== one.key)), 1500);
    }
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") return;
    update(one.key, { state: "failed", problem: failureLine(asFailure(error)) });
  }
  pump();
}

export function useSendings(): Sending[] {
  return useSyncExternalStore(
    (watcher) => {
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
    () => all,
  );
}
export function onArrival(hearer: () => void): () => void {
  arrivals.add(hearer);
  return () => arrivals.delete(hearer);
}

notReloadedWhile(() => all.some((one) => one.state === "uploading" || one.state === "queued"));
