// bulk.tsx — many rows at once: choose some, or all that match, and ask the same of each of them.
//
// Every action says before it is taken how many of the chosen rows it is for, and afterwards how many it did; what can be
// undone offers that. A few requests at a time: a list stays usable while 300 rows are worked on.
import { useCallback, useMemo, useState } from "react";
import { asFailure } from "../api/client";
import { refreshWhere } from "../state/resource";
import { text } from "../text";
import { Dialog } from "./dialog";
import { Icon, type IconName } from "./icon";
import { failureLine } from "./placards";
import { saveCsv, saveJson } from "./save_file";
import { toast } from "./toasts";

export interface Selection<T> {
  rows: ReadonlyMap<string, T>;
  has: (id: string) => boolean;
  toggle: (row: T) => void;
  set: (rows: T[]) => void;
}

export function useSelection<T>(idOf: (row: T) => string): Selection<T> {
  const [rows, setRows] = useState<ReadonlyMap<string, T>>(new Map());
  const toggle = useCallback(
    (row: T) =>
      setRows((old) => {
        const next = new Map(old);
        if (!next.delete(idOf(row))) next.set(idOf(row), row);
        return next;
      }),
    [idOf],
  );
  const set = useCallback((all: T[]) => setRows(new Map(all.map((row) => [idOf(row), row]))), [idOf]);
  return useMemo(() => ({ rows, has: (id: string) => rows.has(id), toggle, set }), [rows, toggle, set]);
}

export function SelectBox({ chosen, name, onToggle }: { chosen: boolean; name: string; onToggle: () => void }) {
  return (
    <label className="select-box">
      <input type="checkbox" checked={chosen} onChange={onToggle} aria-label={text.bulk.choose(name)} />
    </label>
  );
}

export interface BulkAction<T> {
  word: string;
  icon: IconName;
  bad?: boolean;
  fits: (row: T) => boolean;
  act: (row: T) => Promise<unknown>;
  did: (count: number) => string;
  ask?: (count: number) => string; // asked first: it cannot be undone
  undo?: (row: T) => Promise<unknown>;
}

// What is chosen as files of one's own.
export function filesOf<T>(name: string, columns: readonly string[]): { word: string; save: (rows: T[]) => void }[] {
  return [
    { word: text.bulk.csv, save: (rows) => saveCsv(name, rows as never, columns) },
    { word: text.bulk.json, save: (rows) => saveJson(name, rows as never) },
  ];
}

const kAtOnce = 4;

// Gives those that it was done to, and what went wrong first with the others.
export async function forEach<T>(rows: T[], act: (row: T) => Promise<unknown>, told: (done: number) => void = () => {}, stopped: () => boolean = () => false): Promise<{ done: T[]; failed: number; problem: string }> {
  const done: T[] = [];
  let failed = 0;
  let problem = "";
  let at = 0;
  const work = async () => {
    while (at < rows.length && !stopped()) {
      const row = rows[at++] as T;
      try {
        await act(row);
        done.push(row);
      } catch (error) {
        failed++;
        problem ||= failureLine(asFailure(error));
      }
      told(done.length + failed);
    }
  };
  await Promise.all(Array.from({ length: kAtOnce }, work));
  refreshWhere(() => true);
  return { done, failed, problem };
}

interface Props<T> {
  selection: Selection<T>;
  total: number | undefined; // how many match
  all: () => Promise<T[]>; // those that match
  actions: BulkAction<T>[];
  exports?: { word: string; save: (rows: T[]) => void }[];
}

export function BulkBar<T>({ selection, total, all, actions, exports = [] }: Props<T>) {
  const [busy, setBusy] = useState<{ done: number; of: number } | null>(null);
  const [stop] = useState({ wanted: false });
  const [asked, setAsked] = useState<BulkAction<T> | null>(null);
  const rows = [...selection.rows.values()];
  if (rows.length === 0) return null;

  const take = async (action: BulkAction<T>) => {
    setAsked(null);
    const fitting = rows.filter(action.fits);
    stop.wanted = false;
    setBusy({ done: 0, of: fitting.length });
    const { done, failed, problem } = await forEach(fitting, action.act, (count) => setBusy({ done: count, of: fitting.length }), () => stop.wanted);
    setBusy(null);
    selection.set([]);
    const { undo } = action;
    const words = failed > 0 ? `${action.did(done.length)} ${text.bulk.failed(failed)} ${problem}` : action.did(done.length);
    toast(words, undo && done.length > 0 ? { word: text.undo, act: () => void forEach(done, undo).then((undone) => toast(text.bulk.undone(undone.done.length))) } : undefined);
  };
  const chooseAll = async () => {
    setBusy({ done: 0, of: total ?? 0 });
    try {
      selection.set(await all());
    } catch (error) {
      toast(failureLine(asFailure(error)));
    }
    setBusy(null);
  };
  return (
    <div className="bulk" role="region" aria-label={text.bulk.label}>
      <b>{text.bulk.chosen(rows.length)}</b>
      {busy ? (
        <>
          <progress max={Math.max(1, busy.of)} value={busy.done} aria-label={text.bulk.progress(busy.done, busy.of)} />
          <span role="status">{text.bulk.progress(busy.done, busy.of)}</span>
          <button className="button small" onClick={() => (stop.wanted = true)}>
            {text.bulk.stop}
          </button>
        </>
      ) : (
        <>
          {total !== undefined && total > rows.length && (
            <button className="button small" onClick={() => void chooseAll()}>
              {text.bulk.all(total)}
            </button>
          )}
          {actions.map((action) => {
            const count = rows.filter(action.fits).length;
            return (
              count > 0 && (
                <button key={action.word} className={`button small ${action.bad ? "bad" : ""}`} onClick={() => (action.ask ? setAsked(action) : void take(action))}>
                  <Icon name={action.icon} size={15} /> {text.bulk.act(action.word, count)}
                </button>
              )
            );
          })}
          {exports.map((one) => (
            <button key={one.word} className="button small" onClick={() => one.save(rows)}>
              {one.word}
            </button>
          ))}
          <button className="button small bare" onClick={() => selection.set([])}>
            {text.bulk.none}
          </button>
        </>
      )}
      {asked && (
        <Dialog title={asked.ask?.(rows.filter(asked.fits).length) ?? ""} submit={asked.word} bad={asked.bad ?? false} onSubmit={() => void take(asked)} onClose={() => setAsked(null)}>
          <p className="muted">{text.bulk.forGood}</p>
        </Dialog>
      )}
    </div>
  );
}
