// program.ts — whose page this is: what the program is called, which views it has, its colour and its links.
//
// Until the server has said it, it is what it was the last time; a new browser assumes Belay with everything.
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
};

function lastTime(): Program {
  try {
    return { ...kBelay, ...(JSON.parse(localStorage.getItem(kKey) ?? "{}") as Partial<Program>) };
  } catch {
    return kBelay;
  }
}
const assumed = lastTime();

export function useProgram(): Program {
  const told = useResource("program", () => call("GET /api/program")).value;
  useEffect(() => {
    if (told) localStorage.setItem(kKey, JSON.stringify(told));
  }, [told]);
  return told ?? assumed;
}

export const titleOf = (program: Program): string => (program.name === "belay" ? "Belay" : program.name);

// Only a colour and nothing else may come into the style.
export const isColour = (word: string | null): word is string => word !== null && /^#[0-9a-fA-F]{6}$/.test(word);
