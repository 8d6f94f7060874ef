// virtual_list.tsx — a list of rows of one height, of which only those on the screen exist.
//
// It scrolls with the page (or with the element given), so a phone's address bar, "find" and the scroll position of
// the back button behave as on any page. Up and down, Home and End, Page Up and Down move between rows; a row is a
// link or has one, which gets the focus.
import { useEffect, useLayoutEffect, useRef, useState, type KeyboardEvent, type ReactNode } from "react";

interface Props<T> {
  rows: readonly T[];
  height: number; // of a row, in pixels
  idOf: (row: T) => string;
  children: (row: T, index: number) => ReactNode;
  label: string;
  onSee?: (first: number, last: number) => void;
  scroller?: HTMLElement | null; // undefined: the window
  role?: "list" | "rowgroup";
}

const kOver = 6; // rows beyond each edge: a fast finger sees no gap

export function VirtualList<T>({ rows, height, idOf, children, label, onSee, scroller, role = "list" }: Props<T>) {
  const box = useRef<HTMLDivElement>(null);
  const wanted = useRef<number | null>(null); // the row to focus when it exists
  const [range, setRange] = useState({ first: 0, last: 30 });

  useLayoutEffect(() => {
    const measure = () => {
      if (!box.current) return;
      const top = scroller
        ? scroller.getBoundingClientRect().top - box.current.getBoundingClientRect().top
        : -box.current.getBoundingClientRect().top;
      const room = scroller ? scroller.clientHeight : innerHeight;
      const first = Math.max(0, Math.floor(top / height) - kOver);
      const last = Math.min(rows.length, Math.ceil((top + room) / height) + kOver);
      setRange((old) => (old.first === first && old.last === last ? old : { first, last }));
    };
    measure();
    const source = scroller ?? window;
    source.addEventListener("scroll", measure, { passive: true });
    addEventListener("resize", measure);
    return () => {
      source.removeEventListener("scroll", measure);
      removeEventListener("resize", measure);
    };
  }, [rows.length, height, scroller]);

  useEffect(() => onSee?.(range.first, range.last), [range, onSee, rows.length]);
  useEffect(() => {
    if (wanted.current === null) return;
    const target = box.current?.querySelector<HTMLElement>(`[data-row="${wanted.current}"] a, [data-row="${wanted.current}"] button`);
    if (target) {
      wanted.current = null;
      target.focus();
    }
  });

  const move = (event: KeyboardEvent) => {
    const at = (event.target as HTMLElement).closest<HTMLElement>("[data-row]");
    if (!at || event.ctrlKey || event.metaKey || event.altKey) return;
    const from = Number(at.dataset.row);
    const steps: Record<string, number> = { ArrowDown: from + 1, ArrowUp: from - 1, PageDown: from + 10, PageUp: from - 10, Home: 0, End: rows.length - 1 };
    const to = steps[event.key];
    if (to === undefined) return;
    event.preventDefault();
    const index = Math.max(0, Math.min(rows.length - 1, to));
    wanted.current = index;
    bring(index);
    setRange((old) => ({ ...old }));
  };
  const bring = (index: number) => {
    if (!box.current) return;
    const y = box.current.getBoundingClientRect().top + index * height;
    const edge = scroller ? scroller.getBoundingClientRect() : { top: 0, bottom: innerHeight - 70 };
    const by = y < edge.top + 40 ? y - edge.top - 40 : y + height > edge.bottom ? y + height - edge.bottom : 0;
    if (by !== 0) (scroller ?? window).scrollBy({ top: by });
  };

  return (
    <div ref={box} role={role} aria-label={label} onKeyDown={move} style={{ height: rows.length * height, position: "relative" }}>
      {rows.slice(range.first, range.last).map((row, offset) => {
        const index = range.first + offset;
        return (
          <div key={idOf(row)} data-row={index} role={role === "list" ? "listitem" : undefined} aria-setsize={rows.length} aria-posinset={index + 1} style={{ position: "absolute", top: index * height, height, left: 0, right: 0 }}>
            {children(row, index)}
          </div>
        );
      })}
    </div>
  );
}
