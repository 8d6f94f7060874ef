// drop_zone.tsx — one place for files, which finds out what they are; a door for each kind, for whoever knows better; and
// one for a web address.
//
// While files are dragged over the page every door says whether it takes them. Dropped anywhere else they are looked at.
import { useEffect, useId, useRef, useState, type DragEvent } from "react";
import { asFailure, call } from "../../api/client";
import { Icon } from "../../parts/icon";
import { failureLine } from "../../parts/placards";
import { refreshWhere } from "../../state/resource";
import { text } from "../../text";
import { noteFetch } from "./fetches";
import { kinds, takes, type Kind } from "./kinds";
import { send } from "./sending";

function typesOf(event: DragEvent | globalThis.DragEvent): string[] {
  return [...(event.dataTransfer?.items ?? [])].filter((item) => item.kind === "file").map((item) => item.type);
}

export function DropZone() {
  const [dragged, setDragged] = useState<string[] | null>(null);
  useEffect(() => {
    let depth = 0;
    const enter = (event: globalThis.DragEvent) => {
      if (!event.dataTransfer?.types.includes("Files")) return;
      depth++;
      setDragged(typesOf(event));
    };
    const leave = () => {
      if (--depth <= 0) setDragged(null);
    };
    const over = (event: globalThis.DragEvent) => event.preventDefault();
    const drop = (event: globalThis.DragEvent) => {
      event.preventDefault();
      depth = 0;
      setDragged(null);
      const files = [...(event.dataTransfer?.files ?? [])];
      if (files.length > 0) send(files, null);
    };
    addEventListener("dragenter", enter);
    addEventListener("dragleave", leave);
    addEventListener("dragover", over);
    addEventListener("drop", drop);
    return () => {
      removeEventListener("dragenter", enter);
      removeEventListener("dragleave", leave);
      removeEventListener("dragover", over);
      removeEventListener("drop", drop);
    };
  }, []);
  return (
    <section className="doors" aria-label={text.home.doors}>
      <Zone dragged={dragged !== null} />
      {kinds.map((kind) => (
        <Door key={kind.type} kind={kind} dragged={dragged} />
      ))}
      <WebDoor />
    </section>
  );
}

function Zone({ dragged }: { dragged: boolean }) {
  const chooser = useRef<HTMLInputElement>(null);
  return (
    <div className="zone card" data-state={dragged ? "open" : "still"}>
      <button className="zone-button" onClick={() => chooser.current?.click()}>
        <Icon name="uploads" size={30} />
        <span className="zone-word">{dragged ? text.home.dropHere : text.home.zone}</span>
        <span className="door-hint">{text.home.zoneHint}</span>
      </button>
      <input
        ref={chooser}
        hidden
        type="file"
        multiple
        data-kind="guess"
        accept={[...new Set(kinds.flatMap((kind) => kind.accepts))].join(",")}
        onChange={(event) => {
          send([...(event.target.files ?? [])], null);
          event.target.value = "";
        }}
      />
    </div>
  );
}

function Door({ kind, dragged }: { kind: Kind; dragged: string[] | null }) {
  const chooser = useRef<HTMLInputElement>(null);
  const [over, setOver] = useState(false);
  const fits = dragged === null || takes(kind, dragged);
  const drop = (event: DragEvent) => {
    setOver(false);
    if (!fits) return;
    event.preventDefault();
    event.stopPropagation();
    // The window's own handler must still see that the drag is over, without the files.
    dispatchEvent(new Event("dragleave"));
    send([...event.dataTransfer.files], kind.type);
  };
  return (
    <div className="door card" data-state={dragged ? (fits ? (over ? "over" : "open") : "shut") : "still"} onDragEnter={() => setOver(true)} onDragLeave={() => setOver(false)} onDrop={drop}>
      <button className="door-button" onClick={() => chooser.current?.click()}>
        <Icon name={kind.icon} size={24} />
        <span className="door-word">{kind.word}</span>
        <span className="door-hint">{dragged ? (fits ? text.home.dropHere : text.home.notThis) : kind.hint}</span>
      </button>
      <input
        ref={chooser}
        hidden
        type="file"
        multiple
        data-kind={kind.type}
        accept={kind.accepts.join(",")}
        onChange={(event) => {
          send([...(event.target.files ?? [])], kind.type);
          event.target.value = "";
        }}
      />
    </div>
  );
}

function WebDoor() {
  const [url, setUrl] = useState("");
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState("");
  const label = useId();
  const submit = async () => {
    setBusy(true);
    setProblem("");
    try {
      const told = await call("POST /api/documents", { body: { url: /^\w+:\/\//.test(url) ? url : `https://${url}`, index: true }, once: true });
      setUrl("");
      noteFetch(told);
      refreshWhere(() => true);
    } catch (error) {
      setProblem(failureLine(asFailure(error)));
    }
    setBusy(false);
  };
  return (
    <form
      className="door card door-web"
      data-state="still"
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <label className="door-word row" htmlFor={label}>
        <Icon name="web" size={24} /> {text.kinds.web.word}
      </label>
      <div className="row">
        <input id={label} className="field" inputMode="url" placeholder="https://…" required value={url} onChange={(event) => setUrl(event.target.value)} aria-describedby={problem ? `${label}-problem` : undefined} />
        <button className="button primary" disabled={busy}>
          {text.home.fetch}
        </button>
      </div>
      {problem && (
        <p className="small tone-bad door-problem" id={`${label}-problem`} role="alert">
          {problem}
        </p>
      )}
    </form>
  );
}
