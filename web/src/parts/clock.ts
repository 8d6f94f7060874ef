// clock.ts — "now" for those who show it: ticks only while something is looked at and under way.
import { useEffect, useState } from "react";

export function useNow(everyMs: number, ticking: boolean): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (!ticking) return;
    setNow(Date.now());
    const timer = setInterval(() => document.visibilityState === "visible" && setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs, ticking]);
  return now;
}
