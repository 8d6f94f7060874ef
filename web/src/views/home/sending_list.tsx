// sending_list.tsx — files on their way to the server: how many of all, those that it refused, those we ask about.
import { bytes, share } from "../../parts/format";
import { Icon } from "../../parts/icon";
import { Link } from "../../parts/link";
import { text } from "../../text";
import { kindOf, kinds, takes, type Kind } from "./kinds";
import { sendAgain, sendAs, stopAll, stopSending, useBatch, useSendings, type Sending } from "./sending";

const kShown = 12;
// Those that want something of a person first, then those that move.
const kOrder: Record<Sending["state"], number> = { failed: 0, asked: 1, uploading: 2, held: 3, done: 4, queued: 5 };

export function SendingList() {
  const all = useSendings();
  if (all.length === 0) return null;
  const shown = [...all].sort((a, b) => kOrder[a.state] - kOrder[b.state] || a.key - b.key).slice(0, kShown);
  return (
    <section className="sending-area" aria-label={text.home.sending}>
      <BatchBar all={all} />
      <ul className="sendings" aria-label={text.home.sending} aria-live="polite">
        {shown.map((one) => (
          <SendingRow key={one.key} one={one} />
        ))}
        {all.length > shown.length && <li className="muted small">{text.home.moreSending(all.length - shown.length)}</li>}
      </ul>
    </section>
  );
}

function BatchBar({ all }: { all: Sending[] }) {
  const batch = useBatch();
  const asked = all.filter((one) => one.state === "asked");
  const held = all.some((one) => one.state === "held");
  const moving = all.some((one) => one.state === "uploading" || one.state === "queued" || one.state === "held");
  if (batch.files < 2 && asked.length < 2) return null;
  return (
    <div className="batch card">
      <b>{text.home.batch(batch.sent, batch.files)}</b>
      <progress max={Math.max(1, batch.files)} value={batch.sent} aria-label={text.home.batch(batch.sent, batch.files)} />
      {held && <span className="small muted">{text.home.held}</span>}
      {asked.length > 1 && (
        <button className="button small" onClick={() => sendAs(asked.map((one) => one.key), null)}>
          {text.home.sendAsked(asked.length)}
        </button>
      )}
      {(moving || asked.length > 0) && (
        <button className="button small" onClick={stopAll}>
          {text.home.stopAll}
        </button>
      )}
    </div>
  );
}

function SendingRow({ one }: { one: Sending }) {
  return (
    <li className={`sending card ${one.state === "failed" ? "tone-bad" : ""}`}>
      <Icon name={(one.type && kindOf(one.type)?.icon) || "uploads"} />
      <div className="grow">
        <div className="row">
          <span className="cut">{one.name}</span>
          <span className="muted small">{bytes(one.size)}</span>
        </div>
        {one.state === "failed" ? (
          <p className="sending-problem" role="alert">
            {one.problem || text.home.refused}
          </p>
        ) : one.state === "asked" ? (
          <p className="small muted">{text.home.whatIsIt}</p>
        ) : one.state === "held" ? (
          <p className="small muted">{text.home.held}</p>
        ) : one.duplicate ? (
          <p className="small muted">
            {text.home.duplicate} <Link href={`/runs/${encodeURIComponent(one.runId)}`}>{text.home.seeRun}</Link>
          </p>
        ) : (
          <progress max={1} value={one.part} aria-label={text.home.progress(one.name)}>
            {share(one.part)}
          </progress>
        )}
      </div>
      {one.state === "asked" && <Ask one={one} />}
      {one.state === "failed" && (
        <button className="button small" onClick={() => sendAgain(one.key)}>
          <Icon name="retry" size={15} /> {text.again}
        </button>
      )}
      <button className="button bare small" onClick={() => stopSending(one.key)} aria-label={text.home.stop(one.name)}>
        <Icon name="close" size={15} />
      </button>
    </li>
  );
}

// A guess that we are not sure of: one click if it is right, a choice if it is not.
function Ask({ one }: { one: Sending }) {
  const content = /\.pdf$/i.test(one.name) ? "application/pdf" : /\.xml$/i.test(one.name) ? "application/xml" : "image/png";
  return (
    <>
      <select className="field" aria-label={text.home.kindOf(one.name)} defaultValue={one.type ?? ""} onChange={(event) => sendAs([one.key], event.target.value as Kind["type"])}>
        {kinds.filter((kind) => takes(kind, [content])).map((kind) => (
          <option key={kind.type} value={kind.type}>
            {kind.word}
          </option>
        ))}
      </select>
      <button className="button small primary" onClick={() => sendAs([one.key], null)}>
        {text.home.send}
      </button>
    </>
  );
}
