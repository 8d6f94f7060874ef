// go_to.tsx — one field for everything that has an address: views, files, runs, web pages.
import { useEffect, useId, useRef, useState, type KeyboardEvent } from "react";
import { call } from "../api/client";
import { Icon, type IconName } from "../parts/icon";
import { useProgram } from "../state/program";
import { useResource } from "../state/resource";
import { go } from "../state/router";
import { useSettled } from "../state/settled";
import { text } from "../text";
import { kindName } from "../views/run/run_name";
import { hrefOf } from "../views/home/upload_row";
import { placesOf } from "./places";

interface Target {
  href: string;
  icon: IconName;
  word: string;
  about: string;
}
const kEach = 6;
const kLeastLetters = 2;

async function find(sought: string, parts: readonly string[]): Promise<Target[]> {
  const none = Promise.resolve<Target[]>([]);
  const [files, runs, documents] = await Promise.all([
    !parts.includes("uploads") ? none : call("GET /api/uploads", { query: { q: sought, limit: kEach } }).then((told) => told.uploads.map((one): Target => ({ href: hrefOf(one), icon: "uploads", word: one.name, about: kindName(one.workflow_key ?? "") })), () => []),
    call("GET /api/runs", { query: { q: sought, limit: kEach } }).then((told) => told.runs.map((one): Target => ({ href: `/runs/${encodeURIComponent(one.id)}`, icon: "runs", word: one.id, about: `${kindName(one.workflow_key)} · ${text.states[one.status]}` })), () => []),
    !parts.includes("documents") ? none : call("GET /api/search", { query: { q: sought, limit: kEach } }).then((told) => told.results.map((one): Target => ({ href: `/documents/${encodeURIComponent(one.document_id)}`, icon: "documents", word: one.title || one.url, about: one.url })), () => []),
  ]);
  return [...files, ...documents, ...runs];
}

export function GoTo({ onClose }: { onClose: () => void }) {
  const box = useRef<HTMLDialogElement>(null);
  const list = useId();
  const [typed, setTyped] = useState("");
  const [chosen, setChosen] = useState(0);
  const program = useProgram();
  const sought = useSettled(typed.trim());
  const found = useResource(sought.length >= kLeastLetters ? `goto ${sought}` : null, () => find(sought, program.views));
  useEffect(() => {
    box.current?.showModal();
  }, []);
  const views = placesOf(program.views).filter((one) => one.word.toLowerCase().includes(typed.trim().toLowerCase())).map((one): Target => ({ href: one.href, icon: one.icon, word: one.word, about: text.keys.view }));
  const targets = [...views, ...(typed.trim().length >= kLeastLetters ? (found.value ?? []) : [])];
  const at = Math.min(chosen, targets.length - 1);
  useEffect(() => {
    box.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: "nearest" }); // gives a promise in newer browsers
  }, [at]);

  const open = (target: Target | undefined) => {
    if (!target) return;
    onClose(); // now, not with the dialog's own event: that comes later, when the next may be open already
    go(target.href);
  };
  const press = (event: KeyboardEvent) => {
    const steps: Record<string, number> = { ArrowDown: at + 1, ArrowUp: at - 1 };
    const to = steps[event.key];
    if (to !== undefined && targets.length > 0) {
      event.preventDefault();
      setChosen((to + targets.length) % targets.length);
    } else if (event.key === "Enter") {
      event.preventDefault();
      open(targets[at]);
    }
  };
  return (
    <dialog ref={box} className="goto" aria-label={text.keys.goTo} onClose={onClose} onClick={(event) => event.target === box.current && box.current.close()}>
      <div className="goto-field">
        <Icon name="search" size={18} />
        <input
          autoFocus
          role="combobox"
          aria-expanded={targets.length > 0}
          aria-controls={list}
          aria-autocomplete="list"
          aria-activedescendant={targets[at] ? `${list}-${at}` : undefined}
          aria-label={text.keys.goToAll}
          placeholder={text.keys.goToAll}
          value={typed}
          onChange={(event) => {
            setTyped(event.target.value);
            setChosen(0);
          }}
          onKeyDown={press}
        />
      </div>
      <ul id={list} role="listbox" aria-label={text.keys.goTo} className="goto-list">
        {targets.map((one, index) => (
          <li key={`${one.href} ${one.about}`} id={`${list}-${index}`} role="option" aria-selected={index === at} onMouseMove={() => setChosen(index)} onClick={() => open(one)}>
            <Icon name={one.icon} size={16} />
            <span className="cut">{one.word}</span>
            <span className="muted small cut">{one.about}</span>
          </li>
        ))}
      </ul>
      <p className="goto-none small muted" role="status">
        {targets.length === 0 ? (found.loading && typed ? text.loading : text.keys.nothing(typed.trim())) : ""}
      </p>
    </dialog>
  );
}
