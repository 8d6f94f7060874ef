// metrics.ts — the Prometheus text of /metrics as numbers, and runs as points in time. Pure.
import type { Answer } from "../../api/client";

export type Sample = { name: string; labels: Record<string, string>; value: number };
type RunRow = Answer<"GET /api/runs">["runs"][number];

export function parseMetrics(text: string): Sample[] {
  const samples: Sample[] = [];
  for (const line of text.split("\n")) {
    const parts = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)/.exec(line);
    if (!parts || line.startsWith("#")) continue;
    const labels: Record<string, string> = {};
    for (const [, name = "", value = ""] of (parts[2] ?? "").matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)) labels[name] = value;
    samples.push({ name: parts[1] ?? "", labels, value: Number(parts[3]) });
  }
  return samples;
}

export function valueOf(samples: Sample[], name: string, labels: Record<string, string> = {}): number | undefined {
  const found = samples.filter((one) => one.name === name && Object.entries(labels).every(([key, value]) => one.labels[key] === value));
  return found.length > 0 ? found.reduce((sum, one) => sum + one.value, 0) : undefined;
}

export interface Bucket {
  from: number; // ms
  done: number;
  failed: number;
  median: number | null; // ms that a run took
  slow: number | null; // 95 of 100 took less
}

// Finished runs over the last `span`, in `count` buckets of the same width that end now.
export function bucketsOf(runs: RunRow[], now: number, span: number, count: number): Bucket[] {
  const width = span / count;
  const took: number[][] = Array.from({ length: count }, () => []);
  const buckets = took.map((_, at): Bucket => ({ from: now - span + at * width, done: 0, failed: 0, median: null, slow: null }));
  for (const run of runs) {
    if (!run.completed_at) continue;
    const ended = Date.parse(run.completed_at);
    const at = Math.floor((ended - (now - span)) / width);
    const bucket = buckets[at];
    if (!bucket) continue;
    if (run.status === "failed") bucket.failed++;
    else bucket.done++;
    took[at]?.push(Math.max(0, ended - Date.parse(run.started_at ?? run.created_at)));
  }
  buckets.forEach((bucket, at) => {
    const sorted = (took[at] ?? []).sort((a, b) => a - b);
    bucket.median = quantile(sorted, 0.5);
    bucket.slow = quantile(sorted, 0.95);
  });
  return buckets;
}

export function quantile(sorted: number[], share: number): number | null {
  if (sorted.length === 0) return null;
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? null;
}

export interface Cause {
  key: string;
  workflow: string;
  stage: string;
  code: string;
  message: string; // of the newest
  runs: RunRow[];
}

// Failures with one cause read alike but for ids, numbers and quoted names.
export function causesOf(runs: RunRow[]): Cause[] {
  const causes = new Map<string, Cause>();
  for (const run of runs) {
    const error = run.error;
    if (run.status !== "failed" || !error) continue;
    const alike = error.message
      .replace(/"[^"]*"|`[^`]*`|'[^']*'/g, "…")
      .replace(/[0-9a-f]{8,}|\d+/gi, "#")
      .slice(0, 160);
    const key = `${run.workflow_key}|${error.stage_key}|${error.code}|${alike}`;
    const cause = causes.get(key) ?? { key, workflow: run.workflow_key, stage: error.stage_key ?? "", code: error.code, message: error.message, runs: [] };
    cause.runs.push(run);
    causes.set(key, cause);
  }
  return [...causes.values()].sort((a, b) => b.runs.length - a.runs.length);
}
