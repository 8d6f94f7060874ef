// result_link.ts — where the result of a run is shown as people know it, if there is such a place.
import type { Run } from "./timeline_model";

export function resultHref(run: Pick<Run, "workflow_key" | "status" | "file_id">): string | null {
  if (run.status !== "succeeded" || !run.file_id) return null;
  const id = encodeURIComponent(run.file_id);
  if (run.workflow_key.startsWith("WF1_")) return `/receipts/${id}`;
  if (run.workflow_key.startsWith("WF2_")) return `/invoices/${id}`;
  if (run.workflow_key.startsWith("WF3_")) return `/statements/${id}`;
  return null;
}
