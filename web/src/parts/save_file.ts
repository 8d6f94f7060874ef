// save_file.ts — rows of a list as a file of one's own: CSV as spreadsheets open it, or JSON. Written in the browser, of
// what the API told.
type Loose = Record<string, unknown>;

export function saveFile(name: string, type: string, content: string | Blob): void {
  const url = URL.createObjectURL(new Blob([content], { type }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

// A cell that a spreadsheet would take for a formula gets an apostrophe in front: papers are made by strangers.
function cell(value: unknown): string {
  const words = value === null || value === undefined ? "" : typeof value === "object" ? JSON.stringify(value) : String(value);
  const safe = /^[=+@\t\r]|^-(?!\d+(\.\d+)?$)/.test(words) ? `'${words}` : words;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

// `columns`: what each is called, and where in the row it is.
export function csvOf(rows: Loose[], columns: readonly string[]): string {
  const line = (cells: unknown[]) => `${cells.map(cell).join(",")}\r\n`;
  return line([...columns]) + rows.map((row) => line(columns.map((column) => row[column]))).join("");
}

export function saveCsv(name: string, rows: Loose[], columns: readonly string[]): void {
  saveFile(`${name}.csv`, "text/csv;charset=utf-8", `\ufeff${csvOf(rows, columns)}`);
}
export function saveJson(name: string, rows: Loose[]): void {
  saveFile(`${name}.json`, "application/json", `${JSON.stringify(rows, null, 2)}\n`);
}
