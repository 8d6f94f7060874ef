// shape.ts — the shape of a run: what follows what, what is inside what, what runs beside each other. Pure.
//
// From the paths of its stages: 4.2.1 is the first in 4.2, which is a branch of 4 if that is a fan, else the second in it.
import { compareStages, type Run, type Stage } from "./timeline_model";

export interface Shape {
  stage: Stage;
  beside: boolean; // what is inside runs beside each other: a fan
  inside: Shape[];
}

// Those without a place in the order of the code (guards, patches) come first and undos last, as they do in the timeline.
export function shapeOf(run: Run): Shape[] {
  const known = new Map<string, Shape>();
  const roots: Shape[] = [];
  for (const stage of [...run.stages].sort(compareStages)) {
    const shape: Shape = { stage, beside: stage.kind === "fan", inside: [] };
    known.set(stage.path, shape);
    const parts = stage.path.split(".");
    let parent: Shape | undefined;
    for (let length = parts.length - 1; length > 0 && !parent; length--) parent = known.get(parts.slice(0, length).join("."));
    (parent ? parent.inside : roots).push(shape);
  }
  return roots;
}

// What is drawn of a long row: its beginning, its end, and between them as many as there are as one.
export interface Part {
  shapes: Shape[];
  folded: boolean;
}
export function partsOf(shapes: Shape[], most: number): Part[] {
  if (shapes.length <= most) return shapes.map((shape) => ({ shapes: [shape], folded: false }));
  const edge = Math.max(1, Math.floor(most / 3));
  const one = (shape: Shape): Part => ({ shapes: [shape], folded: false });
  return [...shapes.slice(0, edge).map(one), { shapes: shapes.slice(edge, -edge), folded: true }, ...shapes.slice(-edge).map(one)];
}

// How many of each state, the commonest first.
export function countStates(shapes: readonly Shape[]): [string, number][] {
  const counts = new Map<string, number>();
  for (const { stage } of shapes) counts.set(stage.status, (counts.get(stage.status) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1]);
}

// The cells of a field of so many: how many in a row, how large each, in pixels.
export function fieldOf(count: number, width: number): { columns: number; size: number; rows: number } {
  const columns = Math.max(1, Math.min(count, Math.ceil(Math.sqrt(count * 2.2))));
  const size = Math.max(2, Math.min(13, Math.floor(width / columns)));
  const fitting = Math.max(1, Math.min(columns, Math.floor(width / size)));
  return { columns: fitting, size, rows: Math.ceil(count / fitting) };
}
