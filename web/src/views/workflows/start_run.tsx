// start_run.tsx — a form made from a workflow's schema, checked while typing; its run is shown when it has begun.
import { useId, useState } from "react";
import { asFailure, call } from "../../api/client";
import { Dialog } from "../../parts/dialog";
import { failureLine } from "../../parts/placards";
import { go } from "../../state/router";
import { text } from "../../text";
import { choicesOf, draftOf, isNullable, kindOf, placeIn, problemAt, read, type Draft, type Schema } from "./schema_form";

interface Props {
  workflow: string;
  schema: Schema;
  onClose: () => void;
}

export function StartRun({ workflow, schema, onClose }: Props) {
  const words = text.defined;
  const [draft, setDraft] = useState<Draft>(() => draftOf(schema));
  const [id, setId] = useState("");
  const [refused, setRefused] = useState<{ at: string | undefined; message: string }>();
  const [busy, setBusy] = useState(false);
  const { value, problems } = read(schema, draft);
  const shown = refused?.at ? { ...problems, [refused.at]: refused.message } : problems;
  const start = async () => {
    if (Object.keys(problems).length > 0) return;
    setBusy(true);
    try {
      const body = { input: value === undefined ? null : value, ...(id ? { id } : {}) };
      const run = await call("POST /api/workflows/{key}/runs", { path: { key: workflow }, body, once: true });
      onClose();
      go(`/runs/${encodeURIComponent(run.id)}`);
    } catch (error) {
      const failure = asFailure(error);
      setRefused({ at: placeIn(failure.message), message: failureLine(failure) });
      setBusy(false);
    }
  };
  const change = (next: Draft) => {
    setRefused(undefined);
    setDraft(next);
  };
  return (
    <Dialog
      title={words.startTitle(workflow)}
      submit={words.start}
      busy={busy}
      onSubmit={() => void start()}
      onClose={onClose}
      {...(refused ? { failure: refused.message } : {})}
    >
      <div className="dialog-body start-form">
        {kindOf(schema) === "nothing" && <p className="muted">{words.noInput}</p>}
        <Field name={words.input} at="$" schema={schema} draft={draft} problems={shown} onChange={change} top />
        <label>
          {words.id}
          <input className="field" value={id} placeholder={words.idHint} onChange={(event) => setId(event.target.value)} />
        </label>
      </div>
    </Dialog>
  );
}

interface FieldProps {
  name: string;
  at: string;
  schema: Schema;
  draft: Draft;
  problems: Record<string, string>;
  onChange: (draft: Draft) => void;
  top?: boolean;
}

function Field({ name, at, schema, draft, problems, onChange, top = false }: FieldProps) {
  const id = useId();
  const problem = problemAt(problems, at);
  const kind = kindOf(schema);
  if (kind === "nothing") return null;
  if (kind === "object" && typeof draft === "object") {
    const members = Object.entries(schema.properties ?? {}).map(([member, of]) => (
      <Field
        key={member}
        name={member}
        at={`${at}.${member}`}
        schema={of}
        draft={draft[member] ?? ""}
        problems={problems}
        onChange={(next) => onChange({ ...draft, [member]: next })}
      />
    ));
    if (top) return members;
    return (
      <fieldset>
        <legend>{name}</legend>
        {members}
      </fieldset>
    );
  }
  const typed = String(draft);
  const told = problem ?? schema.description;
  const common = { id, "aria-invalid": problem ? true : undefined, "aria-describedby": told ? `${id}-told` : undefined };
  return (
    <div className="start-field">
      <label htmlFor={id} className={kind === "tick" ? "yes-or-no" : undefined}>
        {kind === "tick" && <input {...common} type="checkbox" checked={draft === true} onChange={(event) => onChange(event.target.checked)} />} {name}
      </label>
      {kind === "choice" ? (
        <select {...common} className="field" value={typed} onChange={(event) => onChange(event.target.value)}>
          {(isNullable(schema) || schema.default === undefined) && <option value="" />}
          {choicesOf(schema).map((choice) => (
            <option key={choice}>{choice}</option>
          ))}
        </select>
      ) : kind === "json" ? (
        <textarea {...common} className="field mono" rows={3} placeholder={text.defined.json} value={typed} onChange={(event) => onChange(event.target.value)} />
      ) : (
        kind !== "tick" && (
          <input
            {...common}
            className="field"
            inputMode={kind === "whole" ? "numeric" : kind === "number" ? "decimal" : undefined}
            value={typed}
            onChange={(event) => onChange(event.target.value)}
          />
        )
      )}
      {told && (
        <p id={`${id}-told`} className={problem ? "small error-text" : "small muted"}>
          {told}
        </p>
      )}
    </div>
  );
}
