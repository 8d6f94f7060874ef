// token.ts — whether the server has asked for a token: one question, however many requests were refused.
const watchers = new Set<() => void>();
let wanted = false;

export const needsToken = {
  read: () => wanted,
  set(value: boolean) {
    if (wanted === value) return;
    wanted = value;
    for (const watcher of watchers) watcher();
  },
};
export function watchToken(watcher: () => void): () => void {
  watchers.add(watcher);
  return () => watchers.delete(watcher);
}
