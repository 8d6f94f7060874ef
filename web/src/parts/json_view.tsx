// json_view.tsx — a value of the server as text that folds: what is inside is made when it is opened, a long list a hundred
// at a time; the whole of it is copied with one click.
import { useMemo, useState } from "react";
import { text } from "../text";
import { bytes, count } from "./format";
import { Icon } from "./icon";
import { toast } from "./toasts";

const kOpenChars = 1500; // as much is shown open
const kListMax = 100;
const kTextMax = 2000;

export function JsonView({ value, label }: { value: unknown; label: string }) {
  const written = useMemo(() => (typeof value === "string" ? value : JSON.stringify(value, null, 2)), [value]);
  const small = (written ?? "").length <= kOpenChars;
  const [open, setOpen] = useState<boolean | null>(null); // all of it, none of it, as it comes
  if (value === null || value === undefined) return <p className="muted">{text.nothing}</p>;
  const folds = isHolder(value) && !isEmpty(value);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(written);
      toast(text.copied);
    } catch {
      toast(text.json.noCopy);
    }
  };
  return (
    <div className="json-box">
      <div className="json-tools">
        {folds && (
          <button className="button bare small" onClick={() => setOpen(!(open ?? small))}>
            {(open ?? small) ? text.json.fold : text.json.unfold}
          </button>
        )}
        <button className="button bare small" onClick={() => void copy()} aria-label={text.json.copy(label)}>
          <Icon name="papers" size={14} /> {text.json.copyWord}
        </button>
      </div>
      <div className="json" tabIndex={0} aria-label={label} role="region">
        <Value key={String(open)} value={value} depth={0} open={open ?? (small ? true : null)} />
      </div>
    </div>
  );
}

const isHolder = (value: unknown): value is object => typeof value === "object" && value !== null;
const isEmpty = (value: object): boolean => Object.keys(value).length === 0;

// `open`: all that is inside; null: only the outermost.
function Value({ name, value, depth, open }: { name?: string; value: unknown; depth: number; open: boolean | null }) {
  const [shown, setShown] = useState(open ?? depth < 1);
  const [most, setMost] = useState(kListMax);
  const head = name === undefined ? null : <span className="json-name">{name}: </span>;
  if (!isHolder(value) || isEmpty(value))
    return (
      <div className="json-line">
        {head}
        <Plain value={value} />
      </div>
    );
  const list = Array.isArray(value);
  const all = Object.entries(value);
  return (
    <details className="json-fold" open={shown} onToggle={(event) => setShown(event.currentTarget.open)}>
      <summary>
        {head}
        <span className="muted">{list ? `[ ${text.json.items(all.length)} ]` : `{ ${all.slice(0, 4).map(([key]) => key).join(", ")}${all.length > 4 ? ` … ${count(all.length)}` : ""} }`}</span>
      </summary>
      {shown && (
        <div className="json-inside">
          {all.slice(0, most).map(([key, one]) => (
            <Value key={key} name={key} value={one} depth={depth + 1} open={open} />
          ))}
          {all.length > most && (
            <button className="button bare small" onClick={() => setMost(most + kListMax * 10)}>
              {text.json.more(all.length - most)}
            </button>
          )}
        </div>
      )}
    </details>
  );
}

function Plain({ value }: { value: unknown }) {
  const [whole, setWhole] = useState(false);
  if (typeof value !== "string") return <span className="json-plain">{isHolder(value) ? (Array.isArray(value) ? "[]" : "{}") : String(value)}</span>;
  const cut = !whole && value.length > kTextMax;
  return (
    <>
      <span className="json-text">{cut ? value.slice(0, kTextMax) : value}</span>
      {cut && (
        <button className="button bare small" onClick={() => setWhole(true)}>
          {text.showAll(bytes(value.length))}
        </button>
      )}
    </>
  );
}
