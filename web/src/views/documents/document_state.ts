// document_state.ts — a document's status, kind and language in the words of the page.
import { locale, text } from "../../text";

export function stateOf(status: string): string {
  if (status === "FETCHED") return "done";
  if (status === "ERROR") return "failed";
  return "running";
}
export function kindOfDocument(kind: string): string {
  return (text.documents.kinds as Record<string, string>)[kind] ?? kind.replaceAll("_", " ");
}

const names = new Intl.DisplayNames(locale, { type: "language", fallback: "code" });
export function languageName(code: string): string {
  try {
    return names.of(code) ?? code;
  } catch {
    return code; // what a page calls its language may be none
  }
}
