// judge.ts — what a person says about a paper: it is right, it is not after all, it is of another kind.
import { asFailure, request } from "../../api/client";
import { failureLine } from "../../parts/placards";
import { toast } from "../../parts/toasts";
import { refreshWhere } from "../../state/resource";
import { text } from "../../text";

export type PaperKind = "receipt" | "invoice";

export const approvePaper = (kind: PaperKind, id: string) => request(`POST /api/${kind}s/{id}/approve`, { path: { id }, body: {}, once: true });
export const reopenPaper = (kind: PaperKind, id: string) => request(`POST /api/${kind}s/{id}/reopen`, { path: { id }, body: {}, once: true });

// Approves and offers to undo it. Whether it worked.
export async function approveWithUndo(kind: PaperKind, id: string): Promise<boolean> {
  try {
    await approvePaper(kind, id);
    toast(text.papers.approved, {
      word: text.undo,
      act: () =>
        void reopenPaper(kind, id).then(
          () => {
            toast(text.papers.reopened);
            refreshWhere(() => true);
          },
          (error: unknown) => toast(failureLine(asFailure(error))),
        ),
    });
    refreshWhere(() => true);
    return true;
  } catch (error) {
    toast(failureLine(asFailure(error)));
    return false;
  }
}

// One page that could not be read: a new run of the paper, which takes over the others.
export async function readPageAgain(fileId: string, page: number): Promise<{ file_id: string; workflow_run_id: string }> {
  return (await request("POST /api/files/{id}/pages/{number}/retry", { path: { id: fileId, number: String(page) }, body: {}, once: true })) as { file_id: string; workflow_run_id: string };
}

// The same bytes as another kind: a file and a run of their own; what they were taken for goes, in the same commit.
export async function readAs(fileId: string, type: string): Promise<{ file_id: string; workflow_run_id: string }> {
  return (await request("POST /api/files/{id}/read-as", { path: { id: fileId }, body: { workflow_type: type }, once: true })) as { file_id: string; workflow_run_id: string };
}
