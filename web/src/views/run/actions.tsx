// actions.tsx — what can be asked of a run, offered only in the states in which it makes sense.
import { useState } from "react";
import { asFailure, call, type Operation } from "../../api/client";
import { Dialog } from "../../parts/dialog";
import { Icon, type IconName } from "../../parts/icon";
import { failureLine } from "../../parts/placards";
import { toast } from "../../parts/toasts";
import { refreshWhere } from "../../state/resource";
import { text } from "../../text";

type Verb = "cancel" | "pause" | "resume" | "retry";

// From the transition table of ARCHITECTURE.md: who may be asked what.
const offered: Record<Verb, string[]> = {
  pause: ["queued", "running", "waiting"],
  resume: ["paused"],
  retry: ["failed", "canceled"],
  cancel: ["queued", "running", "waiting", "paused"],
};
const icons: Record<Verb, IconName> = { pause: "pause", resume: "play", retry: "retry", cancel: "stop" };

async function ask(verb: Verb, id: string, reason?: string): Promise<void> {
  const told = (await call(`POST /api/runs/{id}/${verb}` as Operation, {
    path: { id } as never,
    body: (reason ? { reason } : {}) as never,
    once: true,
  })) as { pending?: string | null };
  toast(told.pending ? text.run.asked[verb] : text.run.did[verb]);
  refreshWhere(() => true);
}

export function Actions({ id, status }: { id: string; status: string }) {
  const [busy, setBusy] = useState(false);
  const [asking, setAsking] = useState<Verb | null>(null);
  const act = async (verb: Verb) => {
    setBusy(true);
    try {
      await ask(verb, id);
    } catch (error) {
      toast(failureLine(asFailure(error)));
    }
    setBusy(false);
  };
  const verbs = (Object.keys(offered) as Verb[]).filter((verb) => offered[verb].includes(status));
  return (
    <>
      {verbs.map((verb) => (
        <button key={verb} className={`button ${verb === "cancel" ? "bad" : verb === "retry" ? "primary" : ""}`} disabled={busy} onClick={() => (verb === "cancel" ? setAsking(verb) : void act(verb))}>
          <Icon name={icons[verb]} size={16} /> {text.run.verbs[verb]}
        </button>
      ))}
      {asking && <ReasonDialog id={id} onClose={() => setAsking(null)} />}
    </>
  );
}

function ReasonDialog({ id, onClose }: { id: string; onClose: () => void }) {
  const [reason, setReason] = useState("");
  const [failure, setFailure] = useState("");
  const submit = async () => {
    try {
      await ask("cancel", id, reason);
      onClose();
    } catch (error) {
      setFailure(failureLine(asFailure(error)));
    }
  };
  return (
    <Dialog title={text.run.cancelTitle} submit={text.run.verbs.cancel} onSubmit={() => void submit()} onClose={onClose} failure={failure} bad>
      <p className="muted">{text.run.cancelAdvice}</p>
      <label>
        {text.run.reason}
        <input className="field" value={reason} onChange={(event) => setReason(event.target.value)} />
      </label>
    </Dialog>
  );
}

export function RetryButton({ id, name }: { id: string; name: string }) {
  const [busy, setBusy] = useState(false);
  const retry = async () => {
    setBusy(true);
    try {
      await ask("retry", id);
    } catch (error) {
      toast(failureLine(asFailure(error)));
    }
    setBusy(false);
  };
  return (
    <button className="button small" disabled={busy} onClick={() => void retry()} aria-label={`${text.run.verbs.retry}: ${name}`}>
      <Icon name="retry" size={15} /> {text.run.verbs.retry}
    </button>
  );
}
