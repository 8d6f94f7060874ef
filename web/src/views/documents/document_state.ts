// document_state.ts — a document's status in the words of the page.
export function stateOf(status: string): string {
  if (status === "FETCHED") return "done";
  if (status === "ERROR") return "failed";
  return "running";
}
