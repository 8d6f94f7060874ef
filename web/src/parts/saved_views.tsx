// saved_views.tsx — a list as somebody wants to see it again: its address under a name. Kept in this browser.
import { useState } from "react";
import { go } from "../state/router";
import { text } from "../text";
import { Dialog } from "./dialog";
import { Icon } from "./icon";

const kKey = "belay.views";
interface Saved {
  name: string;
  path: string;
  query: string;
}

function read(): Saved[] {
  try {
    const told = JSON.parse(localStorage.getItem(kKey) ?? "[]") as unknown;
    return Array.isArray(told) ? told.filter((one): one is Saved => typeof (one as Saved).name === "string" && typeof (one as Saved).query === "string") : [];
  } catch {
    return [];
  }
}

export function SavedViews() {
  const [all, setAll] = useState(read);
  const [asking, setAsking] = useState(false);
  const [name, setName] = useState("");
  const { pathname, search } = location;
  const here = all.filter((one) => one.path === pathname);
  const now = here.find((one) => one.query === search);
  const keep = (next: Saved[]) => {
    localStorage.setItem(kKey, JSON.stringify(next));
    setAll(next);
  };
  if (here.length === 0 && !search) return null;
  return (
    <div className="saved-views row wrap" role="group" aria-label={text.saved.label}>
      {here.map((one) => (
        <button key={one.name} className="button small" aria-pressed={one === now} onClick={() => go(one === now ? pathname : pathname + one.query)}>
          {one.name}
        </button>
      ))}
      {now ? (
        <button className="button small bare" onClick={() => keep(all.filter((one) => one !== now))}>
          <Icon name="close" size={14} /> {text.saved.forget}
        </button>
      ) : (
        search && (
          <button className="button small bare" onClick={() => setAsking(true)}>
            {text.saved.keep}
          </button>
        )
      )}
      {asking && (
        <Dialog
          title={text.saved.title}
          submit={text.papers.save}
          onClose={() => setAsking(false)}
          onSubmit={() => {
            keep([...all.filter((one) => one.path !== pathname || one.name !== name.trim()), { name: name.trim(), path: pathname, query: search }]);
            setAsking(false);
            setName("");
          }}
        >
          <label>
            {text.saved.name}
            <input className="field" required maxLength={60} value={name} onChange={(event) => setName(event.target.value)} />
          </label>
        </Dialog>
      )}
    </div>
  );
}
