// keys.tsx — the page by keyboard: Ctrl-K goes anywhere, / to the search field, j and k through lists, ? tells all of it.
//
// Single letters can be turned off (whoever speaks to a computer types letters by accident); they never count while
// something is being typed or a dialog is open.
import { useEffect, useState, type ReactNode } from "react";
import { Dialog } from "../parts/dialog";
import { Icon } from "../parts/icon";
import { text } from "../text";
import { GoTo } from "./go_to";

const kOffKey = "belay.letters";
export const lettersAreOn = (): boolean => localStorage.getItem(kOffKey) !== "off";
function turnLetters(on: boolean): void {
  if (on) localStorage.removeItem(kOffKey);
  else localStorage.setItem(kOffKey, "off");
}

const kStops = "[data-row] a, [data-row] button, .line-button, .stage-button, .cause a, .ops-row button";

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));
}
// The search field of the view, wherever the view has it.
function toSearch(): boolean {
  const field = document.querySelector<HTMLInputElement>('#main input[type="search"]');
  field?.focus();
  field?.select();
  return field !== null;
}

// Through the rows of a list: one that makes only the rows on the screen knows itself how to go on.
function step(by: 1 | -1): boolean {
  const active = document.activeElement;
  const row = active?.closest("[data-row]");
  if (row && active) {
    active.dispatchEvent(new KeyboardEvent("keydown", { key: by === 1 ? "ArrowDown" : "ArrowUp", bubbles: true, cancelable: true }));
    return true;
  }
  const stops = [...document.querySelectorAll<HTMLElement>(kStops)].filter((one) => one.closest("#main") && one.getClientRects().length > 0);
  const at = stops.indexOf(active as HTMLElement);
  const next = stops[at < 0 ? 0 : at + by];
  next?.focus();
  return next !== undefined;
}

export function Keys() {
  const [open, setOpen] = useState<"goto" | "help" | null>(null);
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.isComposing) return;
      if ((event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && event.key.toLowerCase() === "k") {
        event.preventDefault();
        if (!document.querySelector("dialog[open]")) setOpen("goto");
        return;
      }
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target) || document.querySelector("dialog[open]")) return;
      // Help can always be asked for: it is where letters are turned on again.
      if (event.key === "?") setOpen("help");
      else if (!lettersAreOn()) return;
      else if (event.key === "/" ? !toSearch() : event.key === "j" ? !step(1) : event.key === "k" ? !step(-1) : true) return;
      event.preventDefault();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, []);
  return (
    <>
      <button className="button bare small goto-button" onClick={() => setOpen("goto")} aria-keyshortcuts="Control+K">
        <Icon name="search" size={16} /> <span className="goto-word">{text.keys.goTo}</span> <kbd className="wide-only">Ctrl K</kbd>
      </button>
      {open === "goto" && <GoTo onClose={() => setOpen(null)} />}
      {open === "help" && <Help onClose={() => setOpen(null)} />}
    </>
  );
}

function Help({ onClose }: { onClose: () => void }) {
  const [on, setOn] = useState(lettersAreOn);
  const words = text.keys;
  const rows: [ReactNode, string][] = [
    [<><kbd>Ctrl</kbd> <kbd>K</kbd></>, words.goToAll],
    [<kbd>/</kbd>, words.search],
    [<><kbd>j</kbd> <kbd>k</kbd></>, words.rows],
    [<><kbd>↓</kbd> <kbd>↑</kbd> <kbd>Home</kbd> <kbd>End</kbd></>, words.arrows],
    [<><kbd>a</kbd> <kbd>n</kbd> <kbd>p</kbd></>, words.reviewKeys],
    [<kbd>Enter</kbd>, words.open],
    [<kbd>Esc</kbd>, words.close],
    [<kbd>?</kbd>, words.help],
  ];
  return (
    <Dialog title={words.title} submit={text.close} onSubmit={onClose} onClose={onClose} plain>
      <dl className="keys">
        {rows.map(([keys, what]) => (
          <div key={what}>
            <dt>{keys}</dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <label className="row keys-letters">
        <input
          type="checkbox"
          checked={on}
          onChange={(event) => {
            turnLetters(event.target.checked);
            setOn(event.target.checked);
          }}
        />
        {words.letters}
      </label>
    </Dialog>
  );
}
