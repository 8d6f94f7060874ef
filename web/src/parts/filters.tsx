// filters.tsx — what every list is narrowed by: days, and how many rows are left. The address keeps them.
import { useWord, useWords } from "../state/router";
import { text } from "../text";

export interface Days {
  from: string; // "2026-10-01", or ""
  to: string;
}

const written = (one: Date) => `${one.getFullYear()}-${String(one.getMonth() + 1).padStart(2, "0")}-${String(one.getDate()).padStart(2, "0")}`;
export function lastMonth(now = new Date()): Days {
  return { from: written(new Date(now.getFullYear(), now.getMonth() - 1, 1)), to: written(new Date(now.getFullYear(), now.getMonth(), 0)) };
}

// Days here, as moments: from the first one's beginning to the last one's end.
export function momentsOf({ from, to }: Days): { since?: string; until?: string } {
  const begin = (day: string, more: number) => {
    const [year = 0, month = 1, date = 1] = day.split("-").map(Number);
    return new Date(year, month - 1, date + more).toISOString();
  };
  return { ...(from ? { since: begin(from, 0) } : {}), ...(to ? { until: begin(to, 1) } : {}) };
}

export function useDays(): Days {
  const [from] = useWord("from");
  const [to] = useWord("to");
  return { from, to };
}

export function DayRange() {
  const { from, to } = useDays();
  const set = useWords();
  const last = lastMonth();
  const isLast = from === last.from && to === last.to;
  return (
    <span className="days">
      <label className="row small muted">
        {text.papers.from}
        <input className="field" type="date" value={from} max={to || undefined} onChange={(event) => set({ from: event.target.value })} />
      </label>
      <label className="row small muted">
        {text.papers.to}
        <input className="field" type="date" value={to} min={from || undefined} onChange={(event) => set({ to: event.target.value })} />
      </label>
      <button className="button small" aria-pressed={isLast} onClick={() => set(isLast ? { from: "", to: "" } : { ...last })}>
        {text.papers.lastMonth}
      </button>
    </span>
  );
}

export function Total({ total, word }: { total: number | undefined; word: (count: number) => string }) {
  return (
    <span className="muted small total" role="status">
      {total !== undefined && word(total)}
    </span>
  );
}
