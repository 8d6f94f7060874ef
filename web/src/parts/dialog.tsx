// dialog.tsx — a question that must be answered before anything else: the browser's own modal dialog.
//
// Where what is asked about is a cancel, the way out has another word: two buttons "Cancel" side by side mean opposite things.
import { useEffect, useId, useRef, type FormEvent, type ReactNode } from "react";
import { text } from "../text";

interface Props {
  title: string;
  onClose: () => void;
  onSubmit: () => void;
  submit: string;
  busy?: boolean;
  bad?: boolean;
  plain?: boolean; // it tells something: there is nothing to cancel
  failure?: string;
  children?: ReactNode;
}

export function Dialog({ title, onClose, onSubmit, submit, busy = false, bad = false, plain = false, failure, children }: Props) {
  const box = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useEffect(() => {
    box.current?.showModal();
  }, []);
  const send = (event: FormEvent) => {
    event.preventDefault();
    onSubmit();
  };
  return (
    <dialog ref={box} aria-labelledby={heading} onClose={onClose} onCancel={onClose}>
      <form onSubmit={send}>
        <h2 id={heading}>{title}</h2>
        {children}
        {failure && (
          <p className="notice tone-bad" role="alert">
            {failure}
          </p>
        )}
        <div className="dialog-end">
          {!plain && (
            <button type="button" className="button" onClick={() => box.current?.close()}>
              {submit === text.cancel ? text.goBack : text.cancel}
            </button>
          )}
          <button type="submit" className={`button primary ${bad ? "bad-primary" : ""}`} disabled={busy}>
            {submit}
          </button>
        </div>
      </form>
    </dialog>
  );
}
