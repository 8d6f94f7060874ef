// tables.tsx — the lines of a paper, and how it would be booked.
import { money } from "../../parts/format";
import { text } from "../../text";
import { kSureFrom, type Box, type Paper } from "./paper";

export function Lines({ paper, onPoint }: { paper: Paper; onPoint: (where: { page: number; box: Box | null } | null) => void }) {
  if (paper.lines.length === 0) return null;
  return (
    <section className="card panel">
      <h2>{text.papers.lines}</h2>
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
