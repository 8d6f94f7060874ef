// inbox.tsx — messages of object stores: what was set aside first, to try again or to give up.
import { asFailure, call } from "../../api/client";
import { since } from "../../parts/format";
import { Icon } from "../../parts/icon";
import { Link } from "../../parts/link";
import { failureLine } from "../../parts/placards";
import { State } from "../../parts/state";
import { toast } from "../../parts/toasts";
import { refreshWhere, useResource } from "../../state/resource";
import { text } from "../../text";
import { Section } from "./section";

async function messages() {
  const [dead, invalid, newest] = await Promise.all(["dead", "invalid", ""].map((status) => call("GET /api/inbox", { query: { status, limit: 50 } })));
  const seen = new Set<string>();
  return [dead, invalid, newest].flatMap((page) => page?.messages ?? []).filter((one) => !seen.has(one.id) && seen.add(one.id)).slice(0, 60);
}

export function Inbox() {
  const told = useResource("inbox", messages, 10_000);
  const act = async (verb: "retry" | "drop", id: string) => {
    try {
      await call(`POST /api/inbox/{id}/${verb}`, { path: { id }, once: true });
      toast(text.operations.inboxDid[verb]);
      refreshWhere(() => true);
    } catch (error) {
      toast(failureLine(asFailure(error)));
    }
  };
  return (
    <Section title={text.operations.inbox} told={told} icon="uploads" empty={text.operations.noInbox} emptyAdvice={text.operations.noInboxAdvice}>
      {(rows) => (
        <div className="scroll" tabIndex={0} role="group" aria-label={text.operations.inbox}>
          <table className="rows">
            <thead>
              <tr>
                <th scope="col">{text.operations.object}</th>
                <th scope="col">{text.operations.state}</th>
                <th scope="col" className="number">
                  {text.operations.attempts}
                </th>
                <th scope="col">{text.operations.received}</th>
                <th scope="col">
                  <span className="hidden">{text.operations.actions}</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {rows.map((one) => (
                <tr key={one.id}>
                  <td>
                    <p className="mono">{one.key || one.id}</p>
                    {one.reason && <p className="small tone-bad section-error">{one.reason}</p>}
                  </td>
                  <td>
                    <State status={one.status === "invalid" ? "failed" : one.status} word={text.operations.inboxStates[one.status]} />
                  </td>
                  <td className="number">{one.attempts}</td>
                  <td className="muted">{since(one.received_at)}</td>
                  <td className="number">
                    {one.workflow_run_id && <Link href={`/runs/${encodeURIComponent(one.workflow_run_id)}`}>{text.operations.run}</Link>}
                    {(one.status === "dead" || one.status === "invalid") && (
                      <>
                        <button className="button small" onClick={() => void act("retry", one.id)}>
                          <Icon name="retry" size={15} /> {text.operations.retry}
                        </button>{" "}
                        <button className="button small bad" onClick={() => void act("drop", one.id)}>
                          {text.operations.drop}
                        </button>
                      </>
                    )}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Section>
  );
}
