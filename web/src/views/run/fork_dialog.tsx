// fork_dialog.tsx — the same run again from a stage on, with another input: what came before is kept, not repeated.
import { useState } from "react";
import { asFailure, call } from "../../api/client";
import { Dialog } from "../../parts/dialog";
import { failureLine } from "../../parts/placards";
import { toast } from "../../parts/toasts";
import { go } from "../../state/router";
import { text } from "../../text";
import type { Run, Stage } from "./timeline_model";

export function ForkDialog({ run, stage, onClose }: { run: Run; stage: Stage | null; onClose: () => void }) {
  const before = JSON.stringify(run.input, null, 2);
  const [input, setInput] = useState(before);
  const [failure, setFailure] = useState("");
  const [busy, setBusy] = useState(false);
  const submit = async () => {
    let edited: unknown;
    try {
      edited = JSON.parse(input);
    } catch (error) {
      setFailure(`${text.run.notJson} ${String((error as Error).message)}`);
      return;
    }
    setBusy(true);
    try {
      const body = { ...(stage ? { from: stage.path } : {}), ...(input === before ? {} : { input: edited }) };
      const told = await call("POST /api/runs/{id}/fork", { path: { id: run.id }, body, once: true });
      toast(text.run.forked);
      onClose();
      go(`/runs/${encodeURIComponent(told.id)}`);
    } catch (error) {
      setFailure(failureLine(asFailure(error)));
    }
    setBusy(false);
  };
  return (
    <Dialog title={text.run.forkTitle} submit={text.run.verbs.fork} busy={busy} onSubmit={() => void submit()} onClose={onClose} failure={failure}>
      <p className="muted">{stage ? text.run.forkAdvice(stage.stage_key) : text.run.forkStart}</p>
      <label>
        {text.run.input}
        <textarea className="field" spellCheck={false} value={input} onChange={(event) => setInput(event.target.value)} />
      </label>
    </Dialog>
  );
}
