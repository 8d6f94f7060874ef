// approvals.tsx — what people are asked and have not answered yet.
import { useState } from "react";
import { asFailure, call, type Answer } from "../../api/client";
import { since, until } from "../../parts/format";
import { Icon } from "../../parts/icon";
import { Link } from "../../parts/link";
import { failureLine } from "../../parts/placards";
import { toast } from "../../parts/toasts";
import { refreshWhere, useResource } from "../../state/resource";
import { text } from "../../text";

type Approval = Answer<"GET /api/approvals">["approvals"][number];

export function Approvals() {
  const told = useResource("approvals", async () => (await call("GET /api/approvals", { query: { status: "pending", limit: 50 } })).approvals, 10_000);
  // Nothing asked, or a server without approvals: then there is nothing to say.
  if (!told.value || told.value.length === 0) return null;
  return (
    <section className="card section" aria-label={text.operations.approvals}>
      <h2>{text.operations.approvals}</h2>
      <ul className="cause-list">
        {told.value.map((one) => (
          <ApprovalRow key={one.id} one={one} />
        ))}
      </ul>
    </section>
  );
}

function ApprovalRow({ one }: { one: Approval }) {
  const [comment, setComment] = useState("");
  const answer = async (verb: "approve" | "reject") => {
    try {
      await call(`POST /api/approvals/{id}/${verb}`, { path: { id: one.id }, body: comment ? { comment } : {}, once: true });
      toast(text.operations.answered[verb]);
      refreshWhere(() => true);
    } catch (error) {
      toast(failureLine(asFailure(error)));
    }
  };
  return (
    <li className="cause">
      <div className="grow">
        <p>
          <b>{one.title}</b> <span className="muted small">{since(one.requested_at)}</span>
        </p>
        {one.details && <p>{one.details}</p>}
        <p className="small">
          <Link href={`/runs/${encodeURIComponent(one.workflow_run_id)}`}>{text.operations.run}</Link> <span className="muted">{text.operations.expires(until(one.expires_at))}</span>
        </p>
      </div>
      <input className="field approval-comment" aria-label={text.operations.comment(one.title)} placeholder={text.operations.commentHint} value={comment} onChange={(event) => setComment(event.target.value)} />
      <button className="button small primary" onClick={() => void answer("approve")}>
        <Icon name="done" size={15} /> {text.operations.approve}
      </button>
      <button className="button small bad" onClick={() => void answer("reject")}>
        {text.operations.reject}
      </button>
    </li>
  );
}
