// router.ts — addresses: which view an address names, and going there without loading the page again.
import { useSyncExternalStore } from "react";

export type Place =
  | { view: "uploads" }
  | { view: "runs" }
  | { view: "run"; id: string }
  | { view: "documents" }
  | { view: "document"; id: string }
  | { view: "review" }
  | { view: "export" }
  | { view: "papers" } // receipts and invoices
  | { view: "receipt" | "invoice"; id: string }
  | { view: "statements" }
  | { view: "statement"; id: string }
  | { view: "operations" }
  | { view: "workflows" }
  | { view: "settings" }
  | { view: "nowhere" };

const watchers = new Set<() => void>();
function tell(): void {
  for (const watcher of watchers) watcher();
}
addEventListener("popstate", tell);

export function placeOf(path: string): Place {
  const [, noun = "", id = ""] = path.split("/").map(decodeURIComponent);
  switch (noun) {
    case "":
    case "uploads":
      return { view: "uploads" };
    case "runs":
      return id ? { view: "run", id } : { view: "runs" };
    case "documents":
      return id ? { view: "document", id } : { view: "documents" };
    case "export":
      return { view: "export" };
    case "review":
      return { view: "review" };
    case "receipts":
      return id ? { view: "receipt", id } : { view: "papers" };
    case "invoices":
      return id ? { view: "invoice", id } : { view: "papers" };
    case "statements":
      return id ? { view: "statement", id } : { view: "statements" };
    case "operations":
      return { view: "operations" };
    case "workflows":
      return { view: "workflows" };
    case "settings":
      return { view: "settings" };
    default:
      return { view: "nowhere" };
  }
}

export function go(to: string, replace = false): void {
  if (replace) history.replaceState(null, "", to);
  else history.pushState(null, "", to);
  if (!replace) scrollTo(0, 0);
  tell();
}

const subscribe = (watcher: () => void) => {
  watchers.add(watcher);
  return () => watchers.delete(watcher);
};

export function usePath(): string {
  return useSyncExternalStore(subscribe, () => location.pathname);
}
// A word of the address's query, and a way to change it: filters and selections survive a reload and can be sent on.
export function useWord(name: string): [string, (value: string) => void] {
  const value = useSyncExternalStore(subscribe, () => new URLSearchParams(location.search).get(name) ?? "");
  return [
    value,
    (next) => {
      const words = new URLSearchParams(location.search);
      if (next) words.set(name, next);
      else words.delete(name);
      const text = words.toString();
      go(location.pathname + (text ? `?${text}` : ""), true);
    },
  ];
}
// Several words in one step.
export function useWords(): (news: Record<string, string>) => void {
  return (news) => {
    const words = new URLSearchParams(location.search);
    for (const [name, value] of Object.entries(news)) {
      if (value) words.set(name, value);
      else words.delete(name);
    }
    const text = words.toString();
    go(location.pathname + (text ? `?${text}` : ""), true);
  };
}
