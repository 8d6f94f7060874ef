// thumbnail.tsx — a small picture of a file. At most two are asked for at a time, whatever a list shows, so that uploads,
// lists and the feed never wait behind pictures; one that the server has not made yet is asked for again a little later.
import { useEffect, useState } from "react";
import { useCalm } from "./calm";
import { Icon, type IconName } from "./icon";

const kAtOnce = 2;
const kKeptMax = 600;
const kFirstWaitMs = 600;
const kLongestWaitMs = 15_000;

// A file's bytes never change under its id: what was had once is kept. null: it cannot be drawn.
const kept = new Map<string, string | null>();
const line: { id: string; start: () => void }[] = [];
let underWay = 0;

function keep(id: string, url: string | null): void {
  kept.set(id, url);
  if (kept.size <= kKeptMax) return;
  const [oldest, gone] = kept.entries().next().value as [string, string | null];
  kept.delete(oldest);
  if (gone) URL.revokeObjectURL(gone);
}

function next(): void {
  while (underWay < kAtOnce) {
    const one = line.pop(); // what came last is on the screen
    if (!one) return;
    underWay++;
    one.start();
  }
}

// "later": it is being made.
async function ask(id: string, signal: AbortSignal): Promise<string | null | "later"> {
  const response = await fetch(`/api/files/${encodeURIComponent(id)}/thumbnail`, { signal });
  if (response.status === 404) return null;
  if (!response.ok || !response.headers.get("Content-Type")?.startsWith("image/jpeg")) return "later";
  return URL.createObjectURL(await response.blob());
}

function useThumbnail(id: string, wanted: boolean): string | null | undefined {
  const [, changed] = useState(0);
  useEffect(() => {
    if (!wanted || kept.has(id)) return;
    const ending = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let wait = kFirstWaitMs;
    const enter = () => {
      line.push({
        id,
        start: () => {
          if (ending.signal.aborted) {
            underWay--;
            return next();
          }
          ask(id, ending.signal)
            .catch((): "later" => "later")
            .then((told) => {
              underWay--;
              next();
              if (told !== "later") {
                keep(id, told);
                changed((count) => count + 1);
              } else if (!ending.signal.aborted) {
                timer = setTimeout(enter, wait);
                wait = Math.min(kLongestWaitMs, wait * 2);
              }
            });
        },
      });
      next();
    };
    enter();
    return () => {
      ending.abort();
      clearTimeout(timer);
    };
  }, [id, wanted]);
  return kept.get(id);
}

export function Thumbnail({ id, icon }: { id: string; icon: IconName }) {
  const calm = useCalm();
  const url = useThumbnail(id, calm);
  return (
    <div className="thumb" aria-hidden="true">
      {url ? <img src={url} alt="" width={44} height={44} decoding="async" /> : <Icon name={icon} size={22} />}
    </div>
  );
}
