// timeline.tsx — a run as it went, or goes: one row a stage, bars on a time axis, checkpoints as anchors on a rope.
//
// The rope runs down the left edge: solid through what is recorded and will never run again, open where work is
// under way. Above the rows a run that died is drawn as a climb with a fall; the gap goes down through all rows. Rows are
// virtual: a fan of a thousand branches costs what the screen shows.
import { memo, useCallback, useMemo, useState } from "react";
import { useNow } from "../../parts/clock";
import { duration, share, time } from "../../parts/format";
import { Icon } from "../../parts/icon";
import { iconOf, isOver, toneOf } from "../../parts/state";
import { VirtualList } from "../../parts/virtual_list";
import { text } from "../../text";
import { stageAdvice } from "./run_name";
import { ClimbPicture } from "./climb";
import type { Death } from "./deaths";
import { axisOf, rowsOf, type Axis, type Bar, type Row, type Run } from "./timeline_model";

interface Props {
  run: Run;
  deaths: readonly Death[];
  selected: string;
  onSelect: (path: string) => void;
}

const kRow = 32;
const pathOf = (row: Row) => row.stage.path;

export function Timeline({ run, deaths, selected, onSelect }: Props) {
  const [toggled, setToggled] = useState<ReadonlySet<string>>(new Set());
  const [scroller, setScroller] = useState<HTMLDivElement | null>(null);
  const now = useNow(250, !isOver(run.status) && run.status !== "paused");
  const end = isOver(run.status) || run.status === "paused" ? Date.parse(run.completed_at ?? run.updated_at) : now;
  const rows = useMemo(() => rowsOf(run, end, toggled, deaths), [run, end, toggled, deaths]);
  const axis = useMemo(() => axisOf(run, end, deaths), [run, end, deaths]);
  const gaps = useMemo(() => gapsOf(axis, deaths), [axis, deaths]);
  const toggle = useCallback((path: string) => {
    setToggled((old) => {
      const next = new Set(old);
      if (!next.delete(path)) next.add(path);
      return next;
    });
  }, []);

  return (
    <div className="timeline card">
      <Ruler axis={axis} />
      {deaths.length > 0 && (
        <div className="climb-row">
          <p className="climb-words small muted">{text.run.crash.climb}</p>
          <div className="climb-area">
            <Gaps gaps={gaps} />
            {gaps.map((gap) => gap.wide && (
              <span key={gap.left} className="gap-words" aria-hidden="true" style={{ left: gap.middle }}>
                {gap.lasted}
              </span>
            ))}
            <ClimbPicture run={run} axis={axis} deaths={deaths} />
          </div>
        </div>
      )}
      <div className="timeline-rows" ref={setScroller}>
        {scroller && (
          <VirtualList rows={rows} height={kRow} idOf={pathOf} label={text.run.timeline} scroller={scroller}>
            {(row) => <TimelineRow row={row} axis={axis} gaps={gaps} selected={selected === row.stage.path} onSelect={onSelect} onToggle={toggle} />}
          </VirtualList>
        )}
      </div>
    </div>
  );
}

interface Gap {
  left: string;
  width: string;
  middle: string;
  wide: boolean; // enough for words in it
  lasted: string;
  words: string;
}
const kWideFrom = 0.09;
// Nobody had the run: from a worker's death until another took it up.
function gapsOf(axis: Axis, deaths: readonly Death[]): Gap[] {
  return deaths.map((death) => {
    const left = axis.place(death.at);
    const until = death.back ?? axis.to;
    const width = Math.max(0, axis.place(until) - left);
    const lasted = duration(until - death.at);
    return { left: share100(left), width: share100(width), middle: share100(left + width / 2), wide: width >= kWideFrom, lasted, words: text.run.crash.nobody(lasted) };
  });
}

function Gaps({ gaps }: { gaps: readonly Gap[] }) {
  return gaps.map((gap, n) => <i key={n} className="gap" style={{ left: gap.left, width: gap.width }} title={gap.words} />);
}

const kPhoneGap = 0.34; // of the axis: what a time takes on a phone

function Ruler({ axis }: { axis: Axis }) {
  let last = Number.NEGATIVE_INFINITY;
  const roomy = axis.ticks.map((tick) => {
    if (tick.at - last < kPhoneGap) return false;
    last = tick.at;
    return true;
  });
  return (
    <div className="ruler" aria-hidden="true">
      <span className="ruler-label">{text.run.stage}</span>
      <span className="ruler-area">
        {axis.ticks.map((tick, at) => (
          <span key={tick.time} className={`tick ${roomy[at] ? "" : "wide-only"}`} style={{ left: share100(tick.at) }}>
            {tick.time === axis.from ? "0" : duration(tick.time - axis.from)}
          </span>
        ))}
      </span>
      <span className="ruler-time">{text.run.took}</span>
    </div>
  );
}

const share100 = (part: number): string => `${(part * 100).toFixed(2)}%`;

interface RowProps {
  row: Row;
  axis: Axis;
  gaps: readonly Gap[];
  selected: boolean;
  onSelect: (path: string) => void;
  onToggle: (path: string) => void;
}

const TimelineRow = memo(function TimelineRow({ row, axis, gaps, selected, onSelect, onToggle }: RowProps) {
  const { stage } = row;
  const { took } = row;
  const looks = row.taken ? "taken" : stage.status === "queued" && took?.waited ? "slot" : stage.status;
  return (
    <div className={`stage tone-${toneOf(looks)}`} data-selected={selected || undefined} data-status={stage.status}>
      <div className="stage-name" style={{ paddingLeft: 30 + row.depth * 16 }}>
        <span className="anchor" data-held={stage.status === "succeeded" || undefined} />
        {row.inside > 0 ? (
          <button className="twist" aria-expanded={row.open} aria-label={text.run.inside(stage.stage_key, row.inside)} onClick={() => onToggle(stage.path)}>
            <Icon name={row.open ? "down" : "right"} size={13} />
          </button>
        ) : null}
        <button className="stage-button cut" aria-pressed={selected} title={stageAdvice(stage.stage_key) ?? stage.stage_key} onClick={() => onSelect(selected ? "" : stage.path)}>
          {stage.stage_key}
        </button>
        {row.attempt > 1 && (
          <span className="attempts" title={text.run.attempts(row.attempt)}>
            <span aria-hidden="true">×{row.attempt}</span>
            <span className="hidden">{text.run.attempts(row.attempt)}</span>
          </span>
        )}
      </div>
      <div className="stage-area">
        {axis.folds.map((fold) => (
          <i key={fold.from} className="fold" style={{ left: share100(fold.at), width: share100(axis.place(fold.to) - fold.at) }} title={text.run.fold(duration(fold.to - fold.from))} />
        ))}
        <Gaps gaps={gaps} />
        {row.inside > 0 && !row.open ? <Inside row={row} /> : row.bars.map((bar, at) => <BarMark key={at} bar={bar} axis={axis} />)}
      </div>
      <div className="stage-time">
        <span className="stage-icon">
          <Icon name={iconOf(looks)} size={13} spin={iconOf(looks) === "run"} />
          <span className="hidden">{text.states[looks as keyof typeof text.states] ?? looks}</span>
        </span>
        {row.taken ? <span title={text.run.takenOver}>{text.states.taken}</span> : took === null ? "–" : took.worked === 0 && took.waited > 0 ? <span className="waited" title={text.run.waited(duration(took.waited))}>{duration(took.waited)}</span> : <span title={took.waited > 0 ? text.run.workedWaited(duration(took.worked), duration(took.waited)) : undefined}>{duration(took.worked)}</span>}
      </div>
    </div>
  );
});

function BarMark({ bar, axis }: { bar: Bar; axis: Axis }) {
  const left = axis.place(bar.from);
  const width = Math.max(0, axis.place(bar.to) - left);
  const told = [text.run.bar[bar.look], bar.look === "queued" || bar.look === "group" ? "" : text.run.attempt(bar.attempt), duration(bar.to - bar.from), time(new Date(bar.from).toISOString()), bar.worker, bar.note]
    .filter(Boolean)
    .join(" · ");
  return <i className="bar" data-look={bar.look} style={{ left: share100(left), width: share100(width) }} title={told} />;
}

// A closed fan: how many of its branches are done, as a bar of its own.
function Inside({ row }: { row: Row }) {
  return (
    <span className="inside">
      <progress max={row.inside} value={row.insideDone} aria-label={text.run.insideDone(row.insideDone, row.inside)} />
      <span>
        {text.run.insideDone(row.insideDone, row.inside)}
        {row.insideFailed > 0 && ` · ${text.run.insideFailed(row.insideFailed)}`} · {share(row.inside ? row.insideDone / row.inside : 0)}
      </span>
    </span>
  );
}
