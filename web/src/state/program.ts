// program.ts — whose page this is: what the program is called, which views it has, its colour and its links.
//
// Until the server has said it, it is what it was the last time. A new browser shows no view before: it would ask for
// what the program may not have.
import { useEffect } from "react";
import { call, type Answer } from "../api/client";
import { useResource } from "./resource";

export type Program = Answer<"GET /api/program">;

const kKey = "belay.program";
const kBelay: Program = {
  name: "belay",
  summary: "",
  version: "",
  views: ["uploads", "papers", "statements", "documents"],
  accent: null,
  start: null,
  links: [],
  observes: false,
};

function lastTime(): Program | null {
  try {
    const kept = JSON.parse(localStorage.getItem(kKey) ?? "null") as Partial<Program> | null;
    return kept && { ...kBelay, ...kept };
  } catch {
    return null;
  }
}
const assumed = lastTime();

const useTold = () => useResource("program", () => call("GET /api/program"));

export function useProgram(): Program {
  const told = useTold().value;
  useEffect(() => {
    if (told) localStorage.setItem(kKey, JSON.stringify(told));
  }, [told]);
  return told ?? assumed ?? kBelay;
}

// Whether there is anything to go by; a server that cannot say it is taken for Belay.
export function useIsKnown(): boolean {
  const told = useTold();
  return told.value !== undefined || assumed !== null || told.failure !== undefined;
}

export const titleOf = (program: Program): string => (program.name === "belay" ? "Belay" : program.name);

// Only a colour and nothing else may come into the style.
export const isColour = (word: string | null): word is string => word !== null && /^#[0-9a-fA-F]{6}$/.test(word);
