// run_name.ts — what a person would call a run: its file, its address, or what its workflow does.
import { useFileName } from "../../state/file_name";
import { text } from "../../text";

export function kindName(workflowKey: string): string {
  const known: Record<string, string> = text.workflows;
  return known[workflowKey] ?? workflowKey;
}

function addressIn(input: unknown): string | null {
  const url = typeof input === "object" && input !== null ? (input as Record<string, unknown>).url : null;
  return typeof url === "string" ? url : null;
}

export function useRunName(run: { workflow_key: string; file_id: string | null; input?: unknown }): string {
  const file = useFileName(run.file_id);
  return file ?? addressIn(run.input) ?? kindName(run.workflow_key);
}

// What the stage does, in a sentence; nothing for a workflow that is not one of ours.
export function stageAdvice(stageKey: string): string | null {
  const known: Record<string, string> = text.stages;
  return known[stageKey.replace(/_\d+$/, "_N")] ?? known[stageKey] ?? null;
}
