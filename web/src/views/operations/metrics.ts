// metrics.ts — the Prometheus text of /metrics as numbers. Pure.
export type Sample = { name: string; labels: Record<string, string>; value: number };

export function parseMetrics(text: string): Sample[] {
  const samples: Sample[] = [];
  for (const line of text.split("\n")) {
    const parts = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)/.exec(line);
    if (!parts || line.startsWith("#")) continue;
    const labels: Record<string, string> = {};
    for (const [, name = "", value = ""] of (parts[2] ?? "").matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)) labels[name] = value;
    samples.push({ name: parts[1] ?? "", labels, value: Number(parts[3]) });
  }
  return samples;
}

export function valueOf(samples: Sample[], name: string, labels: Record<string, string> = {}): number | undefined {
  const found = samples.filter((one) => one.name === name && Object.entries(labels).every(([key, value]) => one.labels[key] === value));
  return found.length > 0 ? found.reduce((sum, one) => sum + one.value, 0) : undefined;
}
