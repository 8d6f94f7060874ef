// clock.ts — "now" for those who show it, by the server's clock, whose times they show: ticks only while something is
// looked at and under way.
import { useEffect, useState } from "react";
import { live } from "../live/connection";

const serverNow = (): number => Date.now() + live.skewMs;

export function useNow(everyMs: number, ticking: boolean): number {
  const [now, setNow] = useState(serverNow);
  useEffect(() => {
    if (!ticking) return;
    setNow(serverNow());
    const timer = setInterval(() => document.visibilityState === "visible" && setNow(serverNow()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs, ticking]);
  return now;
}
