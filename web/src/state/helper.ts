// helper.ts — which runs only wait for a reader of pictures and pages: in the API's tables their step runs, and the helper
// knows that it has no turn yet.
import { request } from "../api/client";
import { useResource } from "./resource";

const kEveryMs = 2000;

interface Job {
  workflow_run_id: string | null;
  stage_key: string | null;
  status: string;
  since: string;
}
export interface HelperWaits {
  runs: ReadonlySet<string>; // of which every job waits
  stages: ReadonlyMap<string, string>; // "RUN STAGE" → since when
}
const none: HelperWaits = { runs: new Set(), stages: new Map() };

// `active`: something is under way that might wait.
export function useHelperWaits(active: boolean): HelperWaits {
  const told = useResource(active ? "helper" : null, async (): Promise<HelperWaits> => {
    const { jobs } = (await request("GET /api/helper/jobs")) as { jobs: Job[] };
    const working = new Set(jobs.filter((job) => job.status === "working").map((job) => job.workflow_run_id));
    const waiting = jobs.filter((job) => job.status === "waiting" && job.workflow_run_id);
    return {
      runs: new Set(waiting.map((job) => job.workflow_run_id as string).filter((run) => !working.has(run))),
      stages: new Map(waiting.map((job) => [`${job.workflow_run_id} ${job.stage_key}`, job.since])),
    };
  }, active ? kEveryMs : 0, kEveryMs);
  return told.value ?? none;
}
