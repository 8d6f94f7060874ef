// pages.ts — a list that goes on for ever: read in pages as it is scrolled, kept in order, its shown part kept fresh.
//
// The newest rows come first. When the feed rings, the first page and the page that is on the screen are read again:
// new rows are put in front, known ones replaced where they stand. 100,000 rows cost what the screen shows: no change
// touches more rows than a page has, so the array of rows is one and the same for the life of the list. Whoever shows
// them looks at `Listed`, which is another one after every change.
import { useEffect, useMemo, useSyncExternalStore } from "react";
import { asFailure, type Failure } from "../api/client";
import { live } from "../live/connection";

export interface Page<T> {
  rows: T[];
  next: string | null;
  total?: number | undefined; // of all pages, if the server counts them; told with the first
}
type Load<T> = (cursor: string | null) => Promise<Page<T>>;

export interface Listed<T> {
  rows: readonly T[];
  done: boolean; // there is nothing beyond these rows
  loading: boolean;
  first: boolean; // nothing was read yet
  failure: Failure | undefined;
  total?: number | undefined;
}

const kGapMs = 200;

export class PageList<T> {
  shown: Listed<T> = { rows: [], done: false, loading: true, first: true, failure: undefined };
  private rows: T[] = [];
  private places = new Map<string, number>(); // id → index in rows, less `front`
  private front = 0; // how far rows have moved since the first was placed: what is put in front moves no other place
  private blocks: { cursor: string | null; first: string }[] = []; // what to read to get a part again
  private next: string | null = null;
  private reading = false;
  private again = false;
  private onScreen = 0;
  private lastOnScreen = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private readonly watchers = new Set<() => void>();

  constructor(
    private readonly load: Load<T>,
    private readonly idOf: (row: T) => string,
  ) {}

  subscribe = (watcher: () => void): (() => void) => {
    this.watchers.add(watcher);
    return () => this.watchers.delete(watcher);
  };

  // Rows up to `last` are on the screen: reads on when that is near the end.
  see(first: number, last: number): void {
    this.onScreen = first;
    this.lastOnScreen = last;
    if (last > this.rows.length - 30 && this.next !== null && !this.reading) void this.readOn();
  }

  ring(): void {
    if (this.timer !== undefined) return;
    this.timer = setTimeout(() => {
      this.timer = undefined;
      void this.readAgain();
    }, kGapMs);
  }

  async readAgain(): Promise<void> {
    if (this.reading) {
      this.again = true;
      return;
    }
    await this.guarded(async () => {
      const head = await this.load(null);
      this.takeHead(head);
      this.tell({ rows: this.rows, done: this.next === null, first: false, total: head.total });
      const block = this.blockAt(this.onScreen);
      if (block && block.cursor !== null) this.replace((await this.load(block.cursor)).rows);
    });
    // Whoever came to the end while this was read has not been heard; nobody asks a second time.
    if (this.shown.failure === undefined) this.see(this.onScreen, this.lastOnScreen);
  }

  private async readOn(): Promise<void> {
    const cursor = this.next;
    if (cursor === null) return;
    await this.guarded(async () => {
      const page = await this.load(cursor);
      this.append(page, cursor);
    });
  }

  private async guarded(work: () => Promise<void>): Promise<void> {
    this.reading = true;
    this.again = false;
    this.tell({ loading: true });
    try {
      await work();
      this.tell({ rows: this.rows, done: this.next === null, loading: false, first: false, failure: undefined });
    } catch (error) {
      this.tell({ loading: false, failure: asFailure(error) });
    }
    this.reading = false;
    if (this.again) this.ring();
  }

  private takeHead(page: Page<T>): void {
    const fresh = page.rows.filter((row) => !this.places.has(this.idOf(row)));
    if (fresh.length === page.rows.length) {
      // The first reading, or so much is new that a gap would be left: begin anew.
      this.rows = [];
      this.places = new Map();
      this.front = 0;
      this.blocks = [];
      return this.append(page, null);
    }
    this.removeFrom(page);
    this.rows.unshift(...fresh);
    this.front += fresh.length;
    this.place(0, fresh.length);
    this.replace(page.rows);
  }

  // Rows that stood among the newest and are no longer told: deleted.
  private removeFrom(page: Page<T>): void {
    const last = page.rows.at(-1);
    const until = page.next === null ? this.rows.length : last ? (this.indexOf(this.idOf(last)) ?? 0) : 0;
    const told = new Set(page.rows.map(this.idOf));
    const head = this.rows.slice(0, until);
    const kept = head.filter((row) => told.has(this.idOf(row)));
    if (kept.length === head.length) return;
    for (const row of head) if (!told.has(this.idOf(row))) this.places.delete(this.idOf(row));
    this.rows.splice(0, until, ...kept);
    this.front -= head.length - kept.length;
    this.place(0, kept.length);
  }

  private append(page: Page<T>, cursor: string | null): void {
    const fresh = page.rows.filter((row) => !this.places.has(this.idOf(row)));
    const firstRow = fresh[0];
    if (firstRow) this.blocks.push({ cursor, first: this.idOf(firstRow) });
    const from = this.rows.length;
    this.rows.push(...fresh);
    this.place(from, this.rows.length);
    this.next = page.next;
  }

  private replace(rows: T[]): void {
    for (const row of rows) {
      const index = this.indexOf(this.idOf(row));
      if (index !== undefined) this.rows[index] = row;
    }
  }

  private indexOf(id: string): number | undefined {
    const place = this.places.get(id);
    return place === undefined ? undefined : place + this.front;
  }
  private place(from: number, until: number): void {
    for (let index = from; index < until; index++) this.places.set(this.idOf(this.rows[index] as T), index - this.front);
  }

  // The last block that begins at or before the row; blocks stand in the order of their rows.
  private blockAt(index: number): { cursor: string | null; first: string } | undefined {
    let [low, high] = [0, this.blocks.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.indexOf(this.blocks[middle]?.first ?? "") ?? 0) > index) high = middle;
      else low = middle + 1;
    }
    return this.blocks[low - 1];
  }

  private tell(change: Partial<Listed<T>>): void {
    this.shown = { ...this.shown, ...change };
    for (const watcher of this.watchers) watcher();
  }
}

// Every row of a list, beginning anew: for what is done to all of them.
export async function everyRow<T>(load: (cursor: string | null) => Promise<Page<T>>): Promise<T[]> {
  const rows: T[] = [];
  for (let cursor: string | null = null; ; ) {
    const page: Page<T> = await load(cursor);
    rows.push(...page.rows);
    if (page.next === null) return rows;
    cursor = page.next;
  }
}

// `key` changes when the list is another one (a filter, a search): it begins anew.
export function usePages<T>(key: string, load: Load<T>, idOf: (row: T) => string, everyMs = 0): [Listed<T>, PageList<T>] {
  const list = useMemo(() => new PageList(load, idOf), [key]);
  const shown = useSyncExternalStore(list.subscribe, () => list.shown);
  useEffect(() => {
    void list.readAgain();
    const end = live.hear((event) => {
      if (event.type !== "hello") list.ring();
    });
    const timer =
      everyMs > 0 ? setInterval(() => document.visibilityState === "visible" && list.ring(), everyMs) : undefined;
    return () => {
      end();
      clearInterval(timer);
    };
  }, [list, everyMs]);
  return [shown, list];
}
