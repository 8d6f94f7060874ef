// upload.ts — files on their way to POST /ingest/upload, with how much of them has gone.
//
// XMLHttpRequest, because fetch cannot tell the progress of what it sends.
import { csrf } from "../state/session";
import { Failure, type Answer } from "./client";

export type Uploaded = Answer<"POST /ingest/upload">;

export async function uploadFiles(
  files: File[],
  workflowType: string | null,
  onProgress: (part: number) => void,
  signal: AbortSignal,
): Promise<Uploaded> {
  const proof = await csrf();
  return new Promise((resolve, reject) => {
    const form = new FormData();
    // The type first: the server reads the form as it comes.
    if (workflowType) form.append("workflow_type", workflowType);
    for (const file of files) form.append("files", file, file.name);
    const sending = new XMLHttpRequest();
    sending.open("POST", "/ingest/upload");
    for (const [name, value] of Object.entries(proof)) sending.setRequestHeader(name, value);
    sending.responseType = "json";
    sending.upload.onprogress = (event) => {
      if (event.lengthComputable) onProgress(event.loaded / event.total);
    };
    sending.onload = () => {
      const told = sending.response as (Uploaded & { error?: { code: string; message: string } }) | null;
      // An upload of which every file was refused is an error with the same lists: they say more than its message.
      if (told && (sending.status < 300 || told.errors?.length > 0)) return resolve(told);
      const kind = sending.status === 401 ? "token" : sending.status === 503 || sending.status === 429 ? "busy" : sending.status >= 500 ? "fault" : "refused";
      reject(new Failure(kind, told?.error?.message ?? `${sending.status}`, told?.error?.code));
    };
    sending.onerror = () => reject(new Failure("offline", ""));
    sending.onabort = () => reject(new DOMException("", "AbortError"));
    signal.addEventListener("abort", () => sending.abort());
    sending.send(form);
  });
}
