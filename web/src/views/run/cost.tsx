// cost.tsx — what a step recorded as its cost: money first, then what else it counted.
import { count } from "../../parts/format";
import { text } from "../../text";

export function Cost({ cost }: { cost: Record<string, unknown> }) {
  const parts = Object.entries(cost).filter(([, value]) => value !== 0 && value !== null);
  if (parts.length === 0) return <span className="muted">{text.run.free}</span>;
  return (
    <span className="row wrap">
      {parts.map(([name, value]) => (
        <span key={name} className="cost">
          <b>{typeof value === "number" ? count(value) : typeof value === "object" ? JSON.stringify(value) : String(value)}</b> {name.replaceAll("_", " ")}
        </span>
      ))}
    </span>
  );
}
