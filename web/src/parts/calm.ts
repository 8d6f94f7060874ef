// calm.ts — whether a list stands still enough for its rows to ask the server for something (a picture, a name).
//
// Whoever drags the scroll bar through 100,000 rows sees hundreds of them for a moment each. Asking for all that would
// keep the rows that are looked at in the end waiting behind those that nobody looks at.
import { createContext, useContext, useState } from "react";

export const Calm = createContext(true);

// True from the first calm moment on: what a row has asked for once it keeps.
export function useCalm(): boolean {
  const calm = useContext(Calm);
  const [was, setWas] = useState(calm);
  if (calm && !was) setWas(true);
  return calm || was;
}
