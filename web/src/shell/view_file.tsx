// view_file.tsx — a view whose code is a file of its own, and what is shown while it is not here.
//
// React.lazy remembers a failure for ever; here nothing is final. A file that cannot be had because nobody answers is
// asked for again as soon as the live feed is back. One that a newer version of the page no longer has is had by
// loading the page anew at the same address, but not while files are being sent. The rest of the page stays.
import { useEffect, useSyncExternalStore, type ComponentType, type ReactNode } from "react";
import { live } from "../live/connection";
import { Icon } from "../parts/icon";
import { Loading } from "../parts/placards";
import { isUnfinished, watchUnfinished } from "../state/unfinished";
import { useTitle } from "../state/title";
import { installed, reloadOnce } from "../state/version";
import { text } from "../text";

type Trouble = "unreachable" | "newer" | "broken";

export interface ViewFile<P extends object> {
  View: (props: P) => ReactNode;
  load: () => Promise<boolean>; // whether it is here now; never throws
}

export function viewFile<P extends object>(read: () => Promise<{ default: ComponentType<P> }>, title: string): ViewFile<P> {
  let made: ComponentType<P> | null = null;
  let trouble: Trouble | null = null;
  let asking: Promise<boolean> | null = null;
  let changes = 0;
  const watchers = new Set<() => void>();

  const ask = async (): Promise<boolean> => {
    try {
      made = (await read()).default;
      trouble = null;
    } catch {
      const has = await installed();
      trouble = has === "unreachable" ? "unreachable" : has === "another" ? "newer" : "broken";
    }
    asking = null;
    if (watchers.size === 0) trouble = null; // loaded ahead: whoever wants it finds out how things stand then
    changes++;
    for (const watcher of watchers) watcher();
    return made !== null;
  };
  const load = () => (made ? Promise.resolve(true) : (asking ??= ask()));
  const watch = (watcher: () => void) => {
    watchers.add(watcher);
    return () => {
      watchers.delete(watcher);
      if (watchers.size === 0) trouble = null;
    };
  };

  function View(props: P) {
    useSyncExternalStore(watch, () => changes);
    useEffect(() => void load(), []);
    const Made = made;
    if (Made) return <Made {...props} />;
    return trouble ? <Missing trouble={trouble} title={title} again={load} /> : <Coming title={title} />;
  }
  return { View, load };
}

// What stands where a view will be. The tab has its name from now on: the page's own file knows only Belay's.
export function Coming({ title }: { title: string }) {
  useTitle(title);
  return <Loading title={title} />;
}

function Missing({ trouble, title, again }: { trouble: Trouble; title: string; again: () => Promise<boolean> }) {
  const unfinished = useSyncExternalStore(watchUnfinished, isUnfinished);
  useTitle(title);
  useEffect(() => {
    if (trouble === "unreachable") return live.watch(() => live.state === "open" && void again());
    // "broken": the server has the file, the browser remembers that it had not. Both are mended by loading the page anew.
    if (!unfinished) reloadOnce();
  }, [trouble, unfinished, again]);
  const words = text.viewFile;
  return (
    <div className="placard" role="alert">
      <Icon name={trouble === "unreachable" ? "plug" : "retry"} size={30} />
      <h1>{words[trouble].title(title)}</h1>
      <p>{words[trouble].advice}</p>
      <button className="button" onClick={() => (trouble === "unreachable" ? void again() : location.reload())}>
        <Icon name="retry" /> {trouble === "unreachable" ? text.again : words.loadNow}
      </button>
    </div>
  );
}
