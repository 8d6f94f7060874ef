// file_name.ts — the name of a file that a run or a result only knows by its id. Asked once: a name does not change.
import { call } from "../api/client";
import { useResource } from "./resource";

export function useFileName(id: string | null): string | null {
  const told = useResource(id === null ? null : `file ${id}`, () => call("GET /api/files/{id}", { path: { id: id ?? "" } }));
  return told.value?.name ?? null;
}
