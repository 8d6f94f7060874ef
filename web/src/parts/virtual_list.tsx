// virtual_list.tsx — a list of rows of one height, of which only those on the screen exist.
//
// It scrolls with the page (or with the element given), so a phone's address bar, "find" and the scroll position of
// the back button behave as on any page. Up and down, Home and End, Page Up and Down move between rows; a row is a
// link or has one, which gets the focus. What is looked at stays where it is when rows come in above it.
import { useEffect, useLayoutEffect, useRef, useState, type KeyboardEvent, type ReactNode } from "react";
import { Calm } from "./calm";

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
const kAtOnce = 6; // rows that are made in one task: a screen full takes three, with room for a key between them
const kRestMs = 120; // after a jump: whoever jumps on has not seen these rows
const kSoughtMax = 500; // rows that may have come in at once above those on the screen

interface Shown {
  first: number; // rows that exist: [first, last)
  last: number;
  from: number; // rows that shall: [from, until)
  until: number;
  calm: boolean;
}
// One step from the rows that exist to those that shall; `near` is the first that can be seen.
function grown({ first, last }: Shown, from: number, until: number, near: number, calm: boolean): Shown {
  first = Math.max(first, from);
  last = Math.min(last, until);
  if (first >= last) first = last = Math.min(Math.max(near, from), until); // nothing of the old is wanted
  let more = kAtOnce;
  const below = Math.min(more, until - last);
  last += below;
  more -= below;
  first -= Math.min(more, first - from);
  return { first, last, from, until, calm };
}

export function VirtualList<T>({ rows, height, idOf, children, label, onSee, scroller, role = "list" }: Props<T>) {
  const box = useRef<HTMLDivElement>(null);
  const wanted = useRef<number | null>(null); // the row to focus when it exists
  const [range, setRange] = useState<Shown>(() => ({ first: 0, last: Math.min(kAtOnce, rows.length), from: 0, until: 0, calm: true }));
  const shown = useRef(range);
  const resting = useRef<ReturnType<typeof setTimeout>>(undefined);
  const growing = useRef<ReturnType<typeof setTimeout>>(undefined);
  const anchor = useRef<{ id: string; index: number } | null>(null); // the first row on the screen, when there are some above it
  const measure = useRef((_rested: boolean) => {});

  measure.current = (rested) => {
    if (!box.current) return;
    const top = (scroller ? scroller.getBoundingClientRect().top : 0) - box.current.getBoundingClientRect().top;
    const near = Math.max(0, Math.floor(top / height));
    const far = Math.max(near, Math.min(rows.length, Math.ceil((top + (scroller ? scroller.clientHeight : innerHeight)) / height)));
    const seen = rows[near];
    anchor.current = near > 0 && seen !== undefined ? { id: idOf(seen), index: near } : null;
    // A jump: nothing of what is there is wanted. As little as possible is made, until somebody looks at it.
    const old = shown.current;
    const jumped = !rested && far > near && (near >= old.last || far <= old.first);
    const calm = rested || (old.calm && !jumped);
    if (jumped) {
      clearTimeout(resting.current);
      resting.current = setTimeout(() => measure.current(true), kRestMs);
    }
    const over = calm ? kOver : 0;
    // Rows that may ask again have enough to do in this task.
    const waking = calm && !old.calm;
    const next = waking ? { ...old, calm } : grown(old, Math.max(0, near - over), Math.min(rows.length, far + over), near, calm);
    clearTimeout(growing.current);
    if (waking || next.first > next.from || next.last < next.until) growing.current = setTimeout(() => measure.current(false), 0);
    if (old.first === next.first && old.last === next.last && old.from === next.from && old.until === next.until && old.calm === calm) return;
    shown.current = next;
    setRange(next);
  };
  useEffect(
    () => () => {
      clearTimeout(resting.current);
      clearTimeout(growing.current);
    },
    [],
  );
  useLayoutEffect(() => {
    const scrolled = () => measure.current(false);
    scrolled();
    const source = scroller ?? window;
    source.addEventListener("scroll", scrolled, { passive: true });
    addEventListener("resize", scrolled);
    return () => {
      source.removeEventListener("scroll", scrolled);
      removeEventListener("resize", scrolled);
    };
  }, [rows.length, height, scroller]);
  useLayoutEffect(() => {
    const at = anchor.current;
    const there = at ? rows[at.index] : undefined;
    if (!at || there === undefined || idOf(there) === at.id) return;
    for (let by = 1; by <= kSoughtMax; by++) {
      for (const index of [at.index + by, at.index - by]) {
        const row = rows[index];
        if (row === undefined || idOf(row) !== at.id) continue;
        (scroller ?? window).scrollBy({ top: (index - at.index) * height, behavior: "instant" });
        anchor.current = { id: at.id, index };
        return;
      }
    }
  });

  useEffect(() => onSee?.(range.from, range.until), [range.from, range.until, onSee, rows.length]);
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
    <Calm value={range.calm}>
      <div ref={box} role={role} aria-label={label} onKeyDown={move} style={{ height: rows.length * height, position: "relative" }}>
        {rows.slice(range.first, range.last).map((row, offset) => {
          const index = range.first + offset;
          return (
            <div key={idOf(row)} data-row={index} role={role === "list" ? "listitem" : undefined} aria-setsize={rows.length} aria-posinset={index + 1} style={{ position: "absolute", top: index * height, height, left: 0, right: 0, contain: "layout style" }}>
              {children(row, index)}
            </div>
          );
        })}
      </div>
    </Calm>
  );
}
