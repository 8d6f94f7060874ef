// file_name.ts — the name of a file that a run or a result only knows by its id. Asked once: a name does not change.
import { call } from "../api/client";
import { useCalm } from "../parts/calm";
import { useResource } from "./resource";

export function useFileName(id: string | null): string | null {
  const calm = useCalm();
  const told = useResource(id === null || !calm ? null : `file ${id}`, () => call("GET /api/files/{id}", { path: { id: id ?? "" } }));
  return told.value?.name ?? null;
}
