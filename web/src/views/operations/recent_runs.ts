// recent_runs.ts — the newest runs, as many as the charts and the causes need; read in pages, a bounded number.
import { call, type Answer } from "../../api/client";

export type RunRow = Answer<"GET /api/runs">["runs"][number];
const kPage = 200;
const kPagesMax = 10;

export async function recentRuns(since: number): Promise<RunRow[]> {
  return pages({}, (run) => Date.parse(run.created_at) >= since);
}
export async function failedRuns(): Promise<RunRow[]> {
  return pages({ status: "failed" }, () => true);
}

async function pages(query: { status?: string }, wanted: (run: RunRow) => boolean): Promise<RunRow[]> {
  const runs: RunRow[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < kPagesMax; page++) {
    const told = await call("GET /api/runs", { query: { ...query, limit: kPage, cursor } });
    runs.push(...told.runs.filter(wanted));
    const last = told.runs.at(-1);
    if (told.next_cursor === null || !last || !wanted(last)) break;
    cursor = told.next_cursor;
  }
  return runs;
}
