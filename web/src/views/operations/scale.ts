// scale.ts — the marks of a chart's height: few, round, the last one above everything that is drawn.
export function scaleOf(most: number): number[] {
  if (most <= 1) return [0, 1];
  const size = 10 ** Math.floor(Math.log10(most));
  const top = [1, 2, 4, 6, 8, 10].map((times) => times * size).find((one) => one >= most) ?? most;
  return [0, top / 2, top];
}
