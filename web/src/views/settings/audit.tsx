// audit.tsx — which token did what to what, newest first.
import { useState } from "react";
import { call, type Answer } from "../../api/client";
import { time } from "../../parts/format";
import { Link } from "../../parts/link";
import { Bones, FailedPlacard } from "../../parts/placards";
import { usePages } from "../../state/pages";
import { text } from "../../text";

type Row = Answer<"GET /api/audit">["audit"][number];
const words = text.audit;
const idOf = (row: Row) => row.id;
const kFew = 20;

export function Audit() {
  const [action, setAction] = useState("");
  const [listed, list] = usePages(
    `audit|${action}`,
    async (cursor) => {
      const told = await call("GET /api/audit", { query: { action, limit: cursor === null ? kFew : 100, cursor: cursor ?? undefined } });
      return { rows: told.audit, next: told.next_cursor };
    },
    idOf,
    5000,
  );
  return (
    <section className="card section" aria-label={words.title}>
      <div className="row wrap">
        <h2 className="grow">{words.title}</h2>
        <select className="field" aria-label={words.action} value={action} onChange={(event) => setAction(event.target.value)}>
          <option value="">{words.everything}</option>
          {Object.entries(words.actions).map(([value, word]) => (
            <option key={value} value={value}>
              {word}
            </option>
          ))}
        </select>
      </div>
      <p className="muted">{words.advice}</p>
      {listed.failure && listed.rows.length === 0 ? (
        <FailedPlacard failure={listed.failure} again={() => list.ring()} />
      ) : listed.first ? (
        <Bones rows={3} height={40} />
      ) : listed.rows.length === 0 ? (
        <p>{words.none}</p>
      ) : (
        <div className="scroll" tabIndex={0} role="group" aria-label={words.title}>
          <table className="rows audit">
            <thead>
              <tr>
                <th scope="col">{words.when}</th>
                <th scope="col">{words.who}</th>
                <th scope="col">{words.what}</th>
                <th scope="col">{words.target}</th>
              </tr>
            </thead>
            <tbody>
              {listed.rows.map((row) => (
                <tr key={row.id}>
                  <td className="muted">{time(row.at)}</td>
                  <td title={row.token_id ?? ""}>{row.token_name ?? words.nobody}</td>
                  <td>{(words.actions as Record<string, string>)[row.action] ?? row.action.replaceAll("_", " ")}</td>
                  <td>
                    <Target row={row} />
                    {row.detail && <p className="small muted audit-detail">{row.detail}</p>}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {!listed.done && !listed.first && (
        <button className="button small" onClick={() => list.see(listed.rows.length, listed.rows.length)}>
          {words.more}
        </button>
      )}
    </section>
  );
}

const kOnRuns = new Set(["retry", "cancel", "pause", "resume", "fork", "send"]);

function Target({ row }: { row: Row }) {
  if (!row.target) return null;
  if (kOnRuns.has(row.action) && /^[A-Za-z]/.test(row.target)) return <Link href={`/runs/${encodeURIComponent(row.target)}`}>{row.target}</Link>;
  return <span className="mono">{row.target}</span>;
}
