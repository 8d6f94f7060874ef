// session.ts — whose page this is: asked of the server once, kept by it in a cookie that no script can read.
//
// What changes something carries a word that only this page was told (X-CSRF-Token). A session that was opened in another
// tab has another one: whoever is refused asks again, once. When the server stops knowing us, the sign-in page stands in
// front of everything until it does again; what is behind it stays.
import { useSyncExternalStore } from "react";

export interface Session {
  signed_in: boolean;
  token_needed: boolean;
  organization_id: string | null;
  token: { id: string; name: string } | null;
  expires_at: string | null;
  csrf: string | null;
  owner: boolean;
  organizations: string[];
}

const kOldTokenKey = "belay.token"; // where versions before sessions kept the token itself

let known: Session | null = null;
let asking: Promise<Session | null> | null = null;
const watchers = new Set<() => void>();

function learn(session: Session): void {
  known = session;
  for (const watcher of watchers) watcher();
}

async function ask(): Promise<Session | null> {
  try {
    const answer = await fetch("/api/session", { headers: { Accept: "application/json" } });
    if (!answer.ok) return known;
    learn((await answer.json()) as Session);
    const old = localStorage.getItem(kOldTokenKey);
    if (old) {
      localStorage.removeItem(kOldTokenKey); // no script shall find it
      if (!known?.signed_in) await signIn({ token: old });
    }
  } catch {
    // Nobody answers: the feed says so, and asks again when it is back.
  }
  return known;
}

export function askSession(): Promise<Session | null> {
  return (asking ??= ask().finally(() => (asking = null)));
}

// What a request that changes something has to carry; nothing without a session.
export async function csrf(anew = false): Promise<Record<string, string>> {
  if (anew || !known) await askSession();
  return known?.csrf ? { "X-CSRF-Token": known.csrf } : {};
}

// null: it worked; otherwise what the server said.
export async function signIn(given: { token: string } | { organization: string }): Promise<string | null> {
  const answer = await fetch("/api/session", { method: "POST", headers: { "Content-Type": "application/json", Accept: "application/json" }, body: JSON.stringify(given) });
  const told = (await answer.json()) as Session & { error?: { message: string } };
  if (!answer.ok) return told.error?.message ?? `${answer.status}`;
  learn(told);
  return null;
}

export async function signOut(): Promise<void> {
  await fetch("/api/session", { method: "DELETE", headers: await csrf() });
  await askSession();
}

// The server has refused a request: a session may have ended.
export function sessionRefused(): void {
  if (known?.signed_in !== false) void askSession();
}

const subscribe = (watcher: () => void) => {
  watchers.add(watcher);
  return () => watchers.delete(watcher);
};
export function useSession(): Session | null {
  return useSyncExternalStore(subscribe, () => known);
}
