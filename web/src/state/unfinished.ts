// unfinished.ts — work of this page that a reload would lose: files on their way. Whoever would reload asks first.
type Question = () => boolean;
const questions = new Set<Question>();
const watchers = new Set<() => void>();

export function notReloadedWhile(question: Question): void {
  questions.add(question);
}
export function isUnfinished(): boolean {
  return [...questions].some((question) => question());
}
export function unfinishedChanged(): void {
  for (const watcher of watchers) watcher();
}
export function watchUnfinished(watcher: () => void): () => void {
  watchers.add(watcher);
  return () => watchers.delete(watcher);
}

if (typeof window !== "undefined") {
  addEventListener("beforeunload", (event) => {
    if (isUnfinished()) event.preventDefault();
  });
}
