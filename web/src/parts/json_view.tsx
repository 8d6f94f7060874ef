// json_view.tsx — a value of the server as text: whole when it is small, cut with its size when it is not.
import { useMemo, useState } from "react";
import { text } from "../text";
import { bytes } from "./format";

const kShownMax = 20_000;

export function JsonView({ value, label }: { value: unknown; label: string }) {
  const [whole, setWhole] = useState(false);
  const written = useMemo(() => (typeof value === "string" ? value : JSON.stringify(value, null, 2)), [value]);
  if (value === null || value === undefined) return <p className="muted">{text.nothing}</p>;
  const cut = !whole && written.length > kShownMax;
  return (
    <>
      <pre className="json" tabIndex={0} aria-label={label} role="region">
        {cut ? written.slice(0, kShownMax) : written}
      </pre>
      {cut && (
        <button className="button small" onClick={() => setWhole(true)}>
          {text.showAll(bytes(written.length))}
        </button>
      )}
    </>
  );
}
