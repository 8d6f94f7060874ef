// cost.tsx — what a step recorded as its cost: money first, then what else it counted.
import { text } from "../../text";
import { partsOfCost } from "./cost_parts";

export function Cost({ cost }: { cost: Record<string, unknown> }) {
  const parts = partsOfCost(cost);
  if (parts.length === 0) return <span className="muted">{text.run.free}</span>;
  return (
    <span className="row wrap">
      {parts.map(([figure, word]) => (
        <span key={word || "time"} className="cost">
          <b>{figure}</b> {word}
        </span>
      ))}
    </span>
  );
}
