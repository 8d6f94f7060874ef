// edit_rows.tsx — the lines of a paper, or its tax, as a table of fields: change, add, remove, and all of it saved at once.
import { useState } from "react";
import { asFailure, request } from "../../api/client";
import { Icon } from "../../parts/icon";
import { failureLine } from "../../parts/placards";
import { toast } from "../../parts/toasts";
import { refreshWhere } from "../../state/resource";
import { text } from "../../text";
import type { PaperKind } from "./judge";

export interface Column {
  name: string; // as the API has it
  head: string;
  wide?: boolean;
}
interface Props {
  kind: PaperKind;
  id: string;
  field: "items" | "lines" | "vat";
  label: string;
  columns: Column[];
  rows: (string | null)[][];
  onDone: () => void;
}

export function EditRows({ kind, id, field, label, columns, rows, onDone }: Props) {
  const [cells, setCells] = useState(() => rows.map((row) => row.map((cell) => cell ?? "")));
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState("");
  const change = (at: number, column: number, value: string) => setCells((old) => old.map((row, index) => (index === at ? row.map((cell, place) => (place === column ? value : cell)) : row)));
  const save = async () => {
    setBusy(true);
    setProblem("");
    const given = cells.map((row) => Object.fromEntries(columns.map((column, at) => [column.name, plain(row[at] ?? "", column.wide)])));
    try {
      await request(`PATCH /api/${kind}s/{id}`, { path: { id }, body: { [field]: given } });
      toast(text.papers.saved(label));
      refreshWhere(() => true);
      onDone();
    } catch (error) {
      setProblem(failureLine(asFailure(error)));
    }
    setBusy(false);
  };
  return (
    <form
      className="edit-rows"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
      onKeyDown={(event) => event.key === "Escape" && onDone()}
    >
      <table className="rows">
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.name} scope="col">
                {column.head}
              </th>
            ))}
            <th>
              <span className="hidden">{text.papers.removeRow}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {cells.map((row, at) => (
            <tr key={at}>
              {columns.map((column, place) => (
                <td key={column.name} className={column.wide ? "edit-wide" : ""}>
                  <input className={`field ${column.wide ? "" : "number"}`} autoFocus={at === 0 && place === 0} inputMode={column.wide ? "text" : "decimal"} aria-label={`${column.head} ${at + 1}`} value={row[place]} onChange={(event) => change(at, place, event.target.value)} />
                </td>
              ))}
              <td>
                <button type="button" className="button bare small" aria-label={`${text.papers.removeRow} ${at + 1}`} onClick={() => setCells((old) => old.filter((_, index) => index !== at))}>
                  <Icon name="trash" size={15} />
                </button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {problem && (
        <p className="notice tone-bad" role="alert">
          {problem}
        </p>
      )}
      <div className="row wrap">
        <button type="button" className="button small" onClick={() => setCells((old) => [...old, columns.map(() => "")])}>
          {text.papers.addRow}
        </button>
        <span className="grow" />
        <button className="button small primary" disabled={busy}>
          {text.papers.save}
        </button>
        <button type="button" className="button small" onClick={onDone}>
          {text.cancel}
        </button>
      </div>
    </form>
  );
}

// "1 249,50" as somebody types it is 1249.50; nothing is null.
function plain(value: string, isText = false): string | null {
  const trimmed = value.trim();
  if (trimmed === "") return null;
  return isText ? trimmed : trimmed.replace(/[\s\u00a0]/g, "").replace(/,(?=\d{1,2}$)/, ".");
}
