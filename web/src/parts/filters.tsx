// filters.tsx — what every list is narrowed by: words, choices, days; and how many rows are left. The address keeps them.
import type { ReactNode } from "react";
import { useWord, useWords } from "../state/router";
import { text } from "../text";
import { SavedViews } from "./saved_views";

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

interface BarProps {
  at?: string; // where its looks differ
  head?: ReactNode;
  hint: string; // what is searched
  search: string;
  onSearch: (words: string) => void;
  children: ReactNode; // the choices
  days?: boolean;
  more?: ReactNode; // after the days
  total: number | undefined;
  count: (total: number) => string;
}

// The bar over a list: in every list the same things in the same order.
export function FilterBar({ at = "list-bar", head, hint, search, onSearch, children, days = true, more, total, count }: BarProps) {
  return (
    <div className={`toolbar ${at} filters`}>
      {head}
      <input className="field search" type="search" placeholder={hint} aria-label={hint} value={search} onChange={(event) => onSearch(event.target.value)} />
      {children}
      {days && <DayRange />}
      {more}
      <Total total={total} word={count} />
      <SavedViews key={location.search} />
    </div>
  );
}

// One of several, or none of them in particular (`all`). An option is what the address says, and a word.
export function Choice({ label, all, value, options, onChange }: { label: string; all?: string; value: string; options: readonly (readonly [string, string])[]; onChange: (value: string) => void }) {
  return (
    <select className="field" aria-label={label} value={value} onChange={(event) => onChange(event.target.value)}>
      {all !== undefined && <option value="">{all}</option>}
      {options.map(([one, word]) => (
        <option key={one} value={one}>
          {word}
        </option>
      ))}
    </select>
  );
}

function Total({ total, word }: { total: number | undefined; word: (count: number) => string }) {
  return (
    <span className="muted small total" role="status">
      {total !== undefined && word(total)}
    </span>
  );
}
