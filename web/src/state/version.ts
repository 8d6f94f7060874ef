// version.ts — whether the server has another page by now than the one that runs here.
//
// Every file of the page has a hash in its name, and the index names the first of them; the server asks nobody to keep
// an index. So an index without our own first file is that of another version.
export type Installed = "same" | "another" | "unreachable";

const mine = typeof document === "undefined" ? null : document.querySelector("script[type=module][src]")?.getAttribute("src");

export async function installed(): Promise<Installed> {
  try {
    const answer = await fetch("/", { cache: "no-store", headers: { Accept: "text/html" } });
    if (!answer.ok) return "unreachable"; // a proxy says that nobody is behind it
    const index = await answer.text();
    return mine && !index.includes(mine) ? "another" : "same";
  } catch {
    return "unreachable";
  }
}

const kOnceIn = 60_000;
const kReloadedKey = "belay.reloaded";

// Loads the page anew at the same address, unless that was tried just now: a page that reloads for ever helps nobody.
export function reloadOnce(): boolean {
  const last = Number(sessionStorage.getItem(kReloadedKey) ?? 0);
  if (Date.now() - last < kOnceIn) return false;
  sessionStorage.setItem(kReloadedKey, String(Date.now()));
  location.reload();
  return true;
}
