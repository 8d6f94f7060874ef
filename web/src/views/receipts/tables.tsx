// tables.tsx — the lines of a paper, and how it would be booked.
import { useState } from "react";
import { money } from "../../parts/format";
import { text } from "../../text";
import { EditRows } from "./edit_rows";
import type { PaperKind } from "./judge";
import { kSureFrom, type Box, type Paper } from "./paper";

interface LinesProps {
  kind: PaperKind;
  id: string;
  paper: Paper;
  onPoint: (where: { page: number; box: Box | null } | null) => void;
}

export function Lines({ kind, id, paper, onPoint }: LinesProps) {
  const [editing, setEditing] = useState(false);
  const names = kind === "receipt" ? ["name", "quantity", "amount"] : ["description", "quantity", "unit_price", "line_total"];
  return (
    <section className="card panel" aria-label={text.papers.lines}>
      <div className="row">
        <h2 className="grow">{text.papers.lines}</h2>
        {!editing && (
          <button className="button small" onClick={() => setEditing(true)}>
            {paper.lines.length > 0 ? text.papers.editLines : text.papers.addLines}
          </button>
        )}
      </div>
      {editing ? (
        <EditRows kind={kind} id={id} field={kind === "receipt" ? "items" : "lines"} label={text.papers.lines} columns={names.map((name, at) => ({ name, head: paper.lineHeads[at] ?? name, wide: at === 0 }))} rows={paper.lines.map((line) => line.cells)} onDone={() => setEditing(false)} />
      ) : paper.lines.length === 0 ? null : (
        <div className="scroll" tabIndex={0} role="group" aria-label={text.papers.lines}>
          <table className="rows">
            <thead>
              <tr>
                {paper.lineHeads.map((head, at) => (
                  <th key={head} scope="col" className={at > 0 ? "number" : ""}>
                    {head}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {paper.lines.map((line, at) => (
                <tr key={at} data-doubtful={(line.confidence !== null && line.confidence < kSureFrom) || undefined} onMouseEnter={() => line.box && onPoint({ page: line.page, box: line.box })} onMouseLeave={() => onPoint(null)}>
                  {line.cells.map((cell, column) => (
                    <td key={column} className={column > 0 ? "number" : ""}>
                      {column > 1 ? money(cell) : (cell ?? "–")}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}

// The tax by rate; an invoice tells only its sum, which is a field.
export function Vat({ id, paper }: { id: string; paper: Paper }) {
  const [editing, setEditing] = useState(false);
  if (editing)
    return (
      <section className="card panel" aria-label={text.papers.tax}>
        <h2>{text.papers.tax}</h2>
        <EditRows kind="receipt" id={id} field="vat" label={text.papers.tax} columns={[{ name: "rate", head: text.papers.rate }, { name: "amount", head: text.papers.columns.amount ?? "" }]} rows={paper.vat.map((one) => [one.rate, one.amount])} onDone={() => setEditing(false)} />
      </section>
    );
  return (
    <section className="card panel" aria-label={text.papers.tax}>
      <div className="row">
        <h2 className="grow">{text.papers.tax}</h2>
        <button className="button small" onClick={() => setEditing(true)}>
          {text.papers.editTax}
        </button>
      </div>
      <dl className="fields">
        {paper.vat.map((one) => (
          <div className="field-row" key={one.rate}>
            <dt>{text.papers.vat(one.rate)}</dt>
            <dd className="field-value">{money(one.amount, paper.currency)}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

export function Entries({ paper }: { paper: Paper }) {
  if (paper.entries.length === 0) return null;
  return (
    <section className="card panel">
      <h2>{text.papers.entries}</h2>
      <div className="scroll" tabIndex={0} role="group" aria-label={text.papers.entries}>
        <table className="rows">
          <thead>
            <tr>
              <th scope="col">{text.papers.account}</th>
              <th scope="col">{text.papers.note}</th>
              <th scope="col" className="number">
                {text.papers.debit}
              </th>
              <th scope="col" className="number">
                {text.papers.credit}
              </th>
            </tr>
          </thead>
          <tbody>
            {paper.entries.map((entry, at) => (
              <tr key={at}>
                <td className="mono">{String(entry.account_code ?? "")}</td>
                <td>{String(entry.notes ?? "")}</td>
                <td className="number">{amount(entry.debit)}</td>
                <td className="number">{amount(entry.credit)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function amount(value: unknown): string {
  return typeof value === "string" && Number(value) !== 0 ? money(value) : "";
}
