// toasts.tsx — short news about something the person did; read out, gone by itself.
import { useSyncExternalStore } from "react";
import { text } from "../text";

interface Toast {
  key: number;
  words: string;
  action?: ToastAction;
}
export interface ToastAction {
  word: string;
  act: () => void;
}
const kSeenMs = 6000;
const kActionSeenMs = 12_000; // time enough to think better of it
let toasts: Toast[] = [];
let nextKey = 1;
const watchers = new Set<() => void>();

function change(next: Toast[]): void {
  toasts = next;
  for (const watcher of watchers) watcher();
}
export function toast(words: string, action?: ToastAction): void {
  const key = nextKey++;
  change([...toasts.slice(-3), { key, words, ...(action ? { action } : {}) }]);
  setTimeout(() => change(toasts.filter((one) => one.key !== key)), action ? kActionSeenMs : kSeenMs);
}
export function Toasts() {
  const shown = useSyncExternalStore(
    (watcher) => {
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
    () => toasts,
  );
  return (
    <div className="toasts" role="status" aria-live="polite">
      {shown.map((one) => (
        <div className="toast" key={one.key}>
          <span className="grow">{one.words}</span>
          {one.action && (
            <button
              className="toast-action"
              onClick={() => {
                one.action?.act();
                change(toasts.filter((other) => other.key !== one.key));
              }}
            >
              {one.action.word}
            </button>
          )}
          <button aria-label={text.dismiss} onClick={() => change(toasts.filter((other) => other.key !== one.key))}>
            ×
          </button>
        </div>
      ))}
    </div>
  );
}
