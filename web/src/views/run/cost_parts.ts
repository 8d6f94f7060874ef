// cost_parts.ts — what a step recorded as its cost, as figures with their words.
import { count, duration } from "../../parts/format";

// Of {"money": {"USD": "0.0125"}, "tokens_in": 800, "tokens_out": 120, "time_ms": 1500, "counters": {"fetches": 3}}. Amounts are
// texts, and stay as they are: nobody makes a floating-point number of money.
export function partsOfCost(cost: Record<string, unknown>): [string, string][] {
  const parts: [string, string][] = [];
  const inner = (name: string) => Object.entries((cost[name] ?? {}) as Record<string, unknown>);
  for (const [currency, amount] of inner("money")) parts.push([String(amount), currency]);
  for (const [name, value] of Object.entries(cost)) {
    if (typeof value !== "number" || value === 0) continue;
    parts.push(name === "time_ms" ? [duration(value), ""] : [count(value), name.replaceAll("_", " ")]);
  }
  for (const [name, times] of inner("counters")) if (times !== 0) parts.push([count(Number(times)), name.replaceAll("_", " ")]);
  return parts;
}
