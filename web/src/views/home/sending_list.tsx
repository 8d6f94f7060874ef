// sending_list.tsx — files on their way to the server, and those that it refused.
import { bytes, share } from "../../parts/format";
import { Icon } from "../../parts/icon";
import { Link } from "../../parts/link";
import { text } from "../../text";
import { kindOf } from "./kinds";
import { sendAgain, stopSending, useSendings, type Sending } from "./sending";

export function SendingList() {
  const all = useSendings();
  if (all.length === 0) return null;
  return (
    <ul className="sendings" aria-label={text.home.sending} aria-live="polite">
      {all.slice(0, 50).map((one) => (
        <SendingRow key={one.key} one={one} />
      ))}
      {all.length > 50 && <li className="muted small">{text.home.moreSending(all.length - 50)}</li>}
    </ul>
  );
}

function SendingRow({ one }: { one: Sending }) {
  return (
    <li className={`sending card ${one.state === "failed" ? "tone-bad" : ""}`}>
      <Icon name={kindOf(one.type)?.icon ?? "uploads"} />
      <div className="grow">
        <div className="row">
          <span className="cut">{one.name}</span>
          <span className="muted small">{bytes(one.size)}</span>
        </div>
        {one.state === "failed" ? (
          <p className="sending-problem" role="alert">
            {one.problem || text.home.refused}
          </p>
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
