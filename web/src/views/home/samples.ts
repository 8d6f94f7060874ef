// samples.ts — a few papers to try it with, drawn here: two receipts, an invoice, a photo. They are uploaded like anybody's,
// and their names say what they are, so that they can be taken away again.
import { asFailure, call } from "../../api/client";
import { uploadFiles } from "../../api/upload";
import { failureLine } from "../../parts/placards";
import { toast } from "../../parts/toasts";
import { everyRow } from "../../state/pages";
import { refreshWhere } from "../../state/resource";
import { text } from "../../text";
import type { Kind } from "./kinds";

const kPrefix = "belay-sample-";

type Draw = (brush: CanvasRenderingContext2D, width: number, height: number) => void;

async function drawn(name: string, width: number, height: number, draw: Draw): Promise<File> {
  const canvas = document.createElement("canvas");
  canvas.width = width;
  canvas.height = height;
  const brush = canvas.getContext("2d");
  if (!brush) throw new Error("no canvas");
  brush.fillStyle = "#fff";
  brush.fillRect(0, 0, width, height);
  brush.fillStyle = "#111";
  draw(brush, width, height);
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, "image/png"));
  if (!blob) throw new Error("no picture");
  return new File([blob], `${kPrefix}${name}.png`, { type: "image/png" });
}

const kMono = '26px "DejaVu Sans Mono", Menlo, Consolas, monospace';

// Two columns a row, as a till prints them.
function rows(brush: CanvasRenderingContext2D, width: number, from: number, step: number, lines: [string, string][]): number {
  let y = from;
  for (const [left, right] of lines) {
    brush.textAlign = "left";
    brush.fillText(left, 44, y);
    brush.textAlign = "right";
    brush.fillText(right, width - 44, y);
    y += step;
  }
  return y;
}

function receipt(shop: string, orgnr: string, day: string, items: [string, string][], total: string, vat: string): Draw {
  return (brush, width) => {
    brush.textAlign = "center";
    brush.font = `bold 36px ${kMono.slice(5)}`;
    brush.fillText(shop, width / 2, 80);
    brush.font = kMono;
    brush.fillText(`Org.nr ${orgnr}`, width / 2, 130);
    let y = rows(brush, width, 200, 46, [["Datum", `${day} 14:32`], ...items]);
    brush.font = `bold 32px ${kMono.slice(5)}`;
    y = rows(brush, width, y + 24, 52, [["TOTALT SEK", total]]);
    brush.font = kMono;
    rows(brush, width, y, 46, [["Moms 25%", vat], ["Kort", "************1234"]]);
  };
}

const invoice: Draw = (brush, width) => {
  brush.textAlign = "left";
  brush.font = "bold 54px Arial, sans-serif";
  brush.fillText("Invoice", 90, 150);
  brush.font = "28px Arial, sans-serif";
  const facts: [string, string][] = [["Invoice number:", "2026-1042"], ["Invoice date:", "2026-09-30"], ["Due date:", "2026-10-30"], ["Seller:", "Northern Light Studio AB"], ["Buyer:", "Example Company AB"]];
  facts.forEach(([name, value], at) => {
    brush.fillText(name, 90, 240 + at * 44);
    brush.fillText(value, 380, 240 + at * 44);
  });
  const table: string[][] = [["Description", "Quantity", "Unit price", "Amount"], ["Design of a logo", "1", "8000.00", "8000.00"], ["Printed cards", "200", "5.00", "1000.00"]];
  table.forEach((cells, at) => {
    brush.font = `${at === 0 ? "bold " : ""}26px Arial, sans-serif`;
    cells.forEach((cell, column) => {
      brush.textAlign = column === 0 ? "left" : "right";
      brush.fillText(cell, [90, 640, 860, width - 90][column] ?? 90, 540 + at * 52);
    });
  });
  const sums: [string, string][] = [["Net total", "9000.00"], ["VAT 25%", "2250.00"], ["Total SEK", "11250.00"]];
  sums.forEach(([name, value], at) => {
    brush.textAlign = "left";
    brush.fillText(name, 640, 780 + at * 48);
    brush.textAlign = "right";
    brush.fillText(value, width - 90, 780 + at * 48);
  });
};

const clock: Draw = (brush, width, height) => {
  brush.fillStyle = "#b9a98c";
  brush.fillRect(0, 0, width, height);
  const disc = (radius: number, colour: string) => {
    brush.fillStyle = colour;
    brush.beginPath();
    brush.arc(width / 2, height / 2, radius, 0, 7);
    brush.fill();
  };
  disc(170, "#3a2c20");
  disc(148, "#fbf8ee");
  brush.fillStyle = "#111";
  brush.font = "30px Arial, sans-serif";
  brush.textAlign = "center";
  for (let hour = 1; hour <= 12; hour++) brush.fillText(String(hour), width / 2 + 118 * Math.sin((hour * Math.PI) / 6), height / 2 - 118 * Math.cos((hour * Math.PI) / 6) + 11);
  brush.lineCap = "round";
  for (const [angle, length, wide] of [[0, 80, 11], [2.1, 60, 8]] as const) {
    brush.lineWidth = wide;
    brush.beginPath();
    brush.moveTo(width / 2, height / 2);
    brush.lineTo(width / 2 + length * Math.sin(angle), height / 2 - length * Math.cos(angle));
    brush.stroke();
  }
};

export async function addSamples(): Promise<void> {
  const all: [Promise<File>, Kind["type"]][] = [
    [drawn("lamp-shop", 620, 640, receipt("LAMPAN AB", "556036-0793", "2026-09-16", [["Bordslampa", "399.00"], ["Glodlampa", "100.00"]], "499.00", "99.80")), "receipt"],
    [drawn("coffee", 620, 600, receipt("KAFFESTUGAN AB", "556703-7485", "2026-09-17", [["Kaffe", "35.00"]], "35.00", "7.00")), "receipt"],
    [drawn("design-invoice", 1240, 1000, invoice), "invoice"],
    [drawn("clock-photo", 480, 480, clock), "image"],
  ];
  try {
    for (const [file, type] of all) await uploadFiles([await file], type, () => {}, new AbortController().signal);
    toast(text.samples.added);
  } catch (error) {
    toast(failureLine(asFailure(error)));
  }
  refreshWhere(() => true);
}

const listed = (cursor: string | null) => call("GET /api/uploads", { query: { q: kPrefix, limit: 100, cursor: cursor ?? undefined } }).then((told) => ({ rows: told.uploads.filter(isSample), next: told.next_cursor }));

export const isSample = (one: { name: string }): boolean => one.name.startsWith(kPrefix);

export async function removeSamples(): Promise<void> {
  try {
    const rows = await everyRow(listed);
    for (const row of rows) await call("DELETE /api/files/{id}", { path: { id: row.file_id } });
    toast(text.samples.removed(rows.length));
  } catch (error) {
    toast(failureLine(asFailure(error)));
  }
  refreshWhere(() => true);
}
