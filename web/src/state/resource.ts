// resource.ts — what the server said, kept by key and read again when the live feed rings.
//
// A view names what it needs; two views that name the same share one request and one copy. What is kept is shown
// while it is read again, so nothing flickers; a failure of a later reading is shown beside the older value.
import { useCallback, useEffect, useRef, useSyncExternalStore } from "react";
import { asFailure, type Failure } from "../api/client";
import { live, type LiveEvent } from "../live/connection";

export interface Resource<T> {
  value: T | undefined;
  failure: Failure | undefined;
  loading: boolean;
  reload: () => void;
}

interface Entry {
  value: unknown;
  failure: Failure | undefined;
  loading: boolean;
  stale: boolean; // something happened while it was being read
  read: (() => Promise<unknown>) | undefined;
  timer: ReturnType<typeof setTimeout> | undefined;
  tookMs: number;
  readAt: number;
  gapMs: number; // the least time between two readings
  watchers: Set<() => void>;
  shown: Resource<unknown>;
}

const kKeptMax = 300;
const kShortestGapMs = 120;
const entries = new Map<string, Entry>();

function entryOf(key: string): Entry {
  let entry = entries.get(key);
  if (!entry) {
    entry = {
      value: undefined,
      failure: undefined,
      loading: false,
      stale: false,
      read: undefined,
      timer: undefined,
      tookMs: 0,
      readAt: 0,
      gapMs: 0,
      watchers: new Set(),
      shown: { value: undefined, failure: undefined, loading: true, reload: () => refresh(key) },
    };
    entries.set(key, entry);
    forgetOldest();
  }
  return entry;
}

function forgetOldest(): void {
  if (entries.size <= kKeptMax) return;
  for (const [key, entry] of entries) {
    if (entry.watchers.size === 0) {
      entries.delete(key);
      return;
    }
  }
}

function tell(key: string, entry: Entry): void {
  entry.shown = { value: entry.value, failure: entry.failure, loading: entry.loading, reload: () => refresh(key) };
  for (const watcher of entry.watchers) watcher();
}

async function read(key: string, entry: Entry): Promise<void> {
  if (!entry.read) return;
  if (entry.loading) {
    entry.stale = true;
    return;
  }
  entry.loading = true;
  entry.stale = false;
  const began = performance.now();
  try {
    entry.value = await entry.read();
    entry.failure = undefined;
  } catch (error) {
    entry.failure = asFailure(error);
  }
  entry.readAt = performance.now();
  entry.tookMs = entry.readAt - began;
  entry.loading = false;
  tell(key, entry);
  if (entry.stale) soon(key, entry);
}

// Many events make one reading: the gap grows with what a reading costs, so a busy run cannot drown the page.
function soon(key: string, entry: Entry): void {
  if (entry.timer !== undefined) return;
  entry.timer = setTimeout(() => {
    entry.timer = undefined;
    void read(key, entry);
  }, Math.max(kShortestGapMs, entry.tookMs * 2, entry.gapMs - (performance.now() - entry.readAt)));
}

export function refresh(key: string): void {
  const entry = entries.get(key);
  if (entry && entry.watchers.size > 0) soon(key, entry);
  else entries.delete(key);
}
export function refreshWhere(wanted: (key: string) => boolean): void {
  for (const key of [...entries.keys()]) if (wanted(key)) refresh(key);
}

// Keys begin with what they are about: "run ID", "runs …", "uploads …", "receipt ID". An event is about a run, or
// about everything.
live.hear((event: LiveEvent) => {
  if (event.type === "reload" || event.type === "resumed") return refreshWhere(() => true);
  if (event.type === "hello") return;
  const run = runOf(event);
  refreshWhere((key) => {
    const [noun, id] = key.split(" ");
    if (noun === "run" || noun === "why") return run === undefined || id === run;
    return noun !== "file" && noun !== "found" && noun !== "input"; // what their key names does not change
  });
});

export function runOf(event: LiveEvent): string | undefined {
  const data = event.data ?? {};
  for (const name of ["workflow_run_id", "run_id", "workflow_id", "id"]) {
    if (typeof data[name] === "string") return data[name] as string;
  }
  return undefined;
}

// `key` null: nothing is wanted now. `everyMs` reads again after that time: for what is under way, beside the feed.
// `gapMs`: for what costs the server something, at least that long between two readings, however often the feed rings.
export function useResource<T>(key: string | null, load: () => Promise<T>, everyMs = 0, gapMs = 0): Resource<T> {
  const loading = useRef(load);
  loading.current = load;
  const subscribe = useCallback(
    (watcher: () => void) => {
      if (key === null) return () => {};
      const entry = entryOf(key);
      entry.read = () => loading.current();
      entry.gapMs = gapMs;
      entry.watchers.add(watcher);
      void read(key, entry);
      return () => entry.watchers.delete(watcher);
    },
    [key, gapMs],
  );
  const shown = useSyncExternalStore(subscribe, () => (key === null ? nothing : entryOf(key).shown)) as Resource<T>;
  useEffect(() => {
    if (key === null || everyMs <= 0) return;
    const timer = setInterval(() => {
      if (document.visibilityState === "visible") refresh(key);
    }, everyMs);
    return () => clearInterval(timer);
  }, [key, everyMs]);
  return shown;
}

const nothing: Resource<unknown> = { value: undefined, failure: undefined, loading: false, reload: () => {} };
