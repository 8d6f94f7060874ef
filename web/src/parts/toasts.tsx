// toasts.tsx — short news about something the person did; read out, gone by itself.
import { useSyncExternalStore } from "react";
import { text } from "../text";

interface Toast {
  key: number;
  words: string;
}
const kSeenMs = 6000;
let toasts: Toast[] = [];
let nextKey = 1;
const watchers = new Set<() => void>();

function change(next: Toast[]): void {
  toasts = next;
  for (const watcher of watchers) watcher();
}
export function toast(words: string): void {
  const key = nextKey++;
  change([...toasts.slice(-3), { key, words }]);
  setTimeout(() => change(toasts.filter((one) => one.key !== key)), kSeenMs);
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
          <button aria-label={text.dismiss} onClick={() => change(toasts.filter((other) => other.key !== one.key))}>
            ×
          </button>
        </div>
      ))}
    </div>
  );
}
