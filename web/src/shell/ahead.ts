// ahead.ts — the other views' files are loaded once the page has nothing else to do, so that a server that dies later
// takes no view away. One at a time; whoever asked the browser to save data is spared.
import { live } from "../live/connection";

const idle = (): Promise<void> =>
  new Promise((resolve) => {
    if ("requestIdleCallback" in window) requestIdleCallback(() => resolve(), { timeout: 5000 });
    else setTimeout(resolve, 500);
  });

const saves = (): boolean => (navigator as { connection?: { saveData?: boolean } }).connection?.saveData === true;

export function loadAhead(files: { load: () => Promise<boolean> }[]): void {
  if (saves()) return;
  let busy = false;
  const go = async () => {
    if (busy) return;
    busy = true;
    for (const file of files) {
      await idle();
      if (!(await file.load())) break; // nobody answers: again when the feed is back
    }
    busy = false;
  };
  live.watch(() => live.state === "open" && void go());
  if (document.readyState === "complete") void go();
  else addEventListener("load", () => void go(), { once: true });
}
