// graph.tsx — the shape of a run as a picture: steps in their order, groups as frames, a fan as branches under each other; a
// fan of thousands as a field of cells, one a branch. Live, like everything else here.
import { memo, useEffect, useMemo, useRef, useState, type MouseEvent } from "react";
import { count, duration } from "../../parts/format";
import { Icon } from "../../parts/icon";
import { iconOf, toneOf, type Tone } from "../../parts/state";
import { text } from "../../text";
import type { Death } from "./deaths";
import { stageAdvice } from "./run_name";
import { countStates, fieldOf, partsOf, shapeOf, type Shape } from "./shape";
import { isTaken, workedIn, type Run, type Stage } from "./timeline_model";

const kBranchesShown = 8; // more become a field
const kRowShown = 24; // of a sequence; more are folded in the middle

interface Props {
  run: Run;
  deaths: readonly Death[];
  selected: string;
  onSelect: (path: string) => void;
}

export function Graph({ run, deaths, selected, onSelect }: Props) {
  const shapes = useMemo(() => shapeOf(run), [run]);
  return (
    <section className="graph card" aria-label={text.run.graph.title}>
      <div className="graph-scroll" tabIndex={0} role="group" aria-label={text.run.graph.title}>
        <Sequence shapes={shapes} run={run} deaths={deaths} selected={selected} onSelect={onSelect} />
      </div>
      <p className="graph-key small muted" aria-hidden="true">
        {(["queued", "waiting", "running", "retrying", "succeeded", "failed"] as const).map((one) => (
          <span key={one} className={`tone-${toneOf(one)}`}>
            <i className="cell" data-look={one} /> {text.states[one]}
          </span>
        ))}
      </p>
    </section>
  );
}

type Inner = Props & { shapes: Shape[] };

function Sequence({ shapes, ...rest }: Inner) {
  return (
    <ol className="flow">
      {partsOf(shapes, kRowShown).map((part) => (
        <li key={part.shapes[0]?.stage.path}>{part.folded ? <Field shapes={part.shapes} {...rest} /> : part.shapes[0] && <Node shape={part.shapes[0]} {...rest} />}</li>
      ))}
    </ol>
  );
}

function Node({ shape, ...rest }: Props & { shape: Shape }) {
  const { stage, inside, beside } = shape;
  if (inside.length === 0) return <Step stage={stage} {...rest} />;
  const over = inside.filter((one) => one.stage.finished_at !== null).length;
  return (
    <div className={`frame tone-${toneOf(stage.status)}`} data-beside={beside || undefined}>
      <p className="frame-head">
        <Step stage={stage} {...rest} plain />
        <span className="small muted">{text.run.insideDone(over, inside.length)}</span>
      </p>
      {!beside ? (
        <Sequence shapes={inside} {...rest} />
      ) : inside.length > kBranchesShown ? (
        <Field shapes={inside} {...rest} />
      ) : (
        <ol className="branches">
          {inside.map((one) => (
            <li key={one.stage.path}>
              <Node shape={one} {...rest} />
            </li>
          ))}
        </ol>
      )}
    </div>
  );
}

function lookOf(run: Run, stage: Stage): string {
  return isTaken(run, stage) ? "taken" : stage.status;
}

const Step = memo(function Step({ stage, run, deaths, selected, onSelect, plain = false }: Props & { stage: Stage; plain?: boolean }) {
  const look = lookOf(run, stage);
  const died = deaths.filter((death) => death.under_way.includes(stage)).length;
  const chosen = selected === stage.path;
  return (
    <button className={`node tone-${toneOf(look)}`} data-look={look} data-kind={stage.kind} data-plain={plain || undefined} aria-pressed={chosen} title={stageAdvice(stage.stage_key) ?? stage.stage_key} onClick={() => onSelect(chosen ? "" : stage.path)}>
      <Icon name={iconOf(look)} size={14} spin={iconOf(look) === "run"} />
      <span className="cut">{stage.stage_key}</span>
      <span className="hidden">{text.states[look as keyof typeof text.states] ?? look}</span>
      {stage.attempt > 1 && <span className="node-note">×{stage.attempt}</span>}
      {died > 0 && <span className="node-note node-died" title={text.run.crash.count(died)}>✕</span>}
      {stage.finished_at !== null && !plain && !isTaken(run, stage) && <span className="node-time">{duration(workedIn(run, stage, deaths))}</span>}
    </button>
  );
});

const kFieldWide = 320;
const kFilled = new Set(["running", "succeeded", "failed", "taken", "retrying"]);

// Thousands of branches: each a cell, which a click chooses.
function Field({ shapes, run, selected, onSelect }: Inner) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const probes = useRef<HTMLSpanElement>(null);
  const [pointed, setPointed] = useState<Stage | null>(null);
  const field = useMemo(() => fieldOf(shapes.length, kFieldWide), [shapes.length]);
  const counts = useMemo(() => countStates(shapes), [shapes]);
  useEffect(() => {
    const draw = () => paint(canvas.current, probes.current, shapes, run, selected, field);
    draw();
    const dark = matchMedia("(prefers-color-scheme: dark)");
    dark.addEventListener("change", draw);
    return () => dark.removeEventListener("change", draw);
  }, [shapes, run, selected, field]);
  const at = (event: MouseEvent): Stage | null => {
    const box = canvas.current?.getBoundingClientRect();
    if (!box) return null;
    const column = Math.floor((event.clientX - box.left) / field.size);
    const row = Math.floor((event.clientY - box.top) / field.size);
    return column < field.columns ? (shapes[row * field.columns + column]?.stage ?? null) : null;
  };
  const told = counts.map(([state, many]) => `${count(many)} ${text.states[state as keyof typeof text.states] ?? state}`).join(", ");
  return (
    <div className="field-of-cells">
      <canvas
        ref={canvas}
        role="img"
        aria-label={text.run.graph.field(shapes.length, told)}
        style={{ width: field.columns * field.size, height: field.rows * field.size }}
        onMouseMove={(event) => setPointed(at(event))}
        onMouseLeave={() => setPointed(null)}
        onClick={(event) => {
          const stage = at(event);
          if (stage) onSelect(stage.path === selected ? "" : stage.path);
        }}
      />
      <span ref={probes} hidden>
        {(["run", "ok", "bad", "wait", "still", "doubt"] as Tone[]).map((tone) => (
          <i key={tone} data-tone={tone} className={`tone-${tone}`} style={{ color: "var(--fill)" }} />
        ))}
      </span>
      <p className="small muted cell-words">{pointed ? `${pointed.stage_key} · ${text.states[lookOf(run, pointed) as keyof typeof text.states] ?? pointed.status}` : told}</p>
    </div>
  );
}

function paint(canvas: HTMLCanvasElement | null, probes: HTMLElement | null, shapes: readonly Shape[], run: Run, selected: string, field: ReturnType<typeof fieldOf>): void {
  const brush = canvas?.getContext("2d");
  if (!canvas || !brush || !probes) return;
  const { columns, rows, size } = field;
  const ratio = devicePixelRatio || 1;
  canvas.width = columns * size * ratio;
  canvas.height = rows * size * ratio;
  brush.scale(ratio, ratio);
  const colours = new Map([...probes.querySelectorAll<HTMLElement>("[data-tone]")].map((one) => [one.dataset.tone as Tone, getComputedStyle(one).color]));
  const gap = size > 5 ? 2 : size > 3 ? 1 : 0;
  shapes.forEach(({ stage }, index) => {
    const look = lookOf(run, stage);
    const x = (index % columns) * size;
    const y = Math.floor(index / columns) * size;
    const colour = colours.get(toneOf(look)) ?? "#888";
    if (kFilled.has(look) || size < 6) {
      brush.globalAlpha = kFilled.has(look) ? 1 : 0.35;
      brush.fillStyle = colour;
      brush.fillRect(x, y, size - gap, size - gap);
      brush.globalAlpha = 1;
    } else {
      brush.strokeStyle = colour;
      brush.strokeRect(x + 0.5, y + 0.5, size - gap - 1, size - gap - 1);
    }
    if (stage.path === selected) {
      brush.strokeStyle = getComputedStyle(canvas).color;
      brush.lineWidth = 2;
      brush.strokeRect(x, y, size - gap, size - gap);
      brush.lineWidth = 1;
    }
  });
}
