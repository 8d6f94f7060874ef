// settled.ts — the word when typing has rested: a search for every letter helps nobody.
import { useEffect, useState } from "react";

const kRestMs = 250;

export function useSettled(value: string): string {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), value ? kRestMs : 0);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}
