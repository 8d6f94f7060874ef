// budget.tsx — a run that is paused because a paid call would go over a budget: a person lets it pay, once or up to a new limit.
import { useState } from "react";
import { asFailure, request } from "../../api/client";
import { Dialog } from "../../parts/dialog";
import { failureLine } from "../../parts/placards";
import { toast } from "../../parts/toasts";
import { refreshWhere } from "../../state/resource";
import { text } from "../../text";
import { limitOf } from "./budget_limit";
import type { Run } from "./timeline_model";

export function OverBudget({ run }: { run: Run }) {
  const [asking, setAsking] = useState(false);
  if (run.status !== "paused" || run.error?.code !== "BudgetReached") return null;
  return (
    <p className="row wrap">
      <button className="button primary" onClick={() => setAsking(true)}>
        {text.run.budget.approve}
      </button>
      {asking && <ApproveDialog id={run.id} onClose={() => setAsking(false)} />}
    </p>
  );
}

function ApproveDialog({ id, onClose }: { id: string; onClose: () => void }) {
  const [limit, setLimit] = useState("");
  const [failure, setFailure] = useState("");
  const submit = async () => {
    const body = limitOf(limit);
    if (!body) return setFailure(text.run.budget.noLimit);
    try {
      await request("POST /api/runs/{id}/approve", { path: { id }, body, once: true });
      toast(text.run.did.resume);
      refreshWhere(() => true);
      onClose();
    } catch (error) {
      setFailure(failureLine(asFailure(error)));
    }
  };
  return (
    <Dialog title={text.run.budget.title} submit={text.run.budget.approve} onSubmit={() => void submit()} onClose={onClose} failure={failure}>
      <p className="muted">{text.run.budget.advice}</p>
      <label>
        {text.run.budget.limit}
        <input className="field" value={limit} onChange={(event) => setLimit(event.target.value)} />
      </label>
    </Dialog>
  );
}
