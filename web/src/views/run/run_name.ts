// run_name.ts — what a person would call a run: its file, its address, or what its workflow does.
import { call } from "../../api/client";
import { useCalm } from "../../parts/calm";
import { useFileName } from "../../state/file_name";
import { useResource } from "../../state/resource";
import { text } from "../../text";

export function kindName(workflowKey: string): string {
  const known: Record<string, string> = text.workflows;
  return known[workflowKey] ?? workflowKey;
}

function addressIn(input: unknown): string | null {
  const url = typeof input === "object" && input !== null ? (input as Record<string, unknown>).url : null;
  return typeof url === "string" ? url : null;
}

// Runs of a list come without what they were given; those that are called after it are asked for it, once.
const called = new Set(["FETCH_DOCUMENT", "FETCH_AND_INDEX"]);

export function useRunName(run: { id: string; workflow_key: string; file_id: string | null; input?: unknown }): string {
  const file = useFileName(run.file_id);
  const calm = useCalm();
  const wanted = calm && run.input === undefined && called.has(run.workflow_key);
  const told = useResource(wanted ? `input ${run.id}` : null, () => call("GET /api/runs/{id}", { path: { id: run.id } }));
  return file ?? addressIn(run.input ?? told.value?.input) ?? kindName(run.workflow_key);
}

// What the stage does, in a sentence; nothing for a workflow that is not one of ours.
export function stageAdvice(stageKey: string): string | null {
  const known: Record<string, string> = text.stages;
  return known[stageKey.replace(/_\d+$/, "_N")] ?? known[stageKey] ?? null;
}
