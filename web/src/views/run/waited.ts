// waited.ts — what the tables of a run do not tell: that a step had begun and only waited for a reader.
//
// A step that reads waits for its turn at the helper without a thread. While it waits the helper says so; when it is over
// its record says how long it read (`took_ms`), and what was longer was the wait.
import type { HelperWaits } from "../../state/helper";
import type { Run, Stage } from "./timeline_model";

const kReads = /^WF[123]_/;
const kReading = /^ocr(_page_\d+)?$/;
const kWorthMs = 20;

export function withWaits(run: Run, waits: HelperWaits): Run {
  if (!kReads.test(run.workflow_key)) return run;
  return { ...run, stages: run.stages.map((stage) => turned(run, stage, waits)) };
}

function turned(run: Run, stage: Stage, waits: HelperWaits): Stage {
  if (!kReading.test(stage.stage_key) || stage.started_at === null) return stage;
  if (stage.status === "running" && waits.stages.has(`${run.id} ${stage.stage_key}`) && stage.failed_attempts.length === 0) return { ...stage, status: "queued", started_at: null };
  if (stage.status !== "succeeded" || stage.finished_at === null || stage.failed_attempts.length > 0) return stage;
  const took = typeof stage.output === "object" && stage.output !== null ? (stage.output as Record<string, unknown>).took_ms : undefined;
  if (typeof took !== "number" || took < 0) return stage;
  const began = Date.parse(stage.finished_at) - took;
  const recorded = Date.parse(stage.started_at);
  // A worker that died in it began it once more: that is drawn from its deaths.
  if (began - recorded < kWorthMs || run.deaths.some((death) => Date.parse(death.last_seen) >= recorded && Date.parse(death.last_seen) < began)) return stage;
  return { ...stage, started_at: new Date(began).toISOString() };
}
