// two_readings.tsx — a value that two readers saw differently: who saw what, and the other one with a click.
import { useState } from "react";
import { asFailure, request } from "../../api/client";
import { failureLine } from "../../parts/placards";
import { toast } from "../../parts/toasts";
import { refreshWhere, useResource } from "../../state/resource";
import { text } from "../../text";
import type { PaperKind } from "./judge";
import { boxOf, loose, type Box, type Field, type Loose } from "./paper";
import { fieldWord, readReason, remedyOf } from "./reasons";

// The one that was not believed is the other of these two.
const readers: Record<string, [string, string]> = { Tesseract: ["Tesseract", "PP-OCR"], PpOcr: ["PP-OCR", "Tesseract"] };

export function TwoReadings({ id, kind, reason, fields }: { id: string; kind: PaperKind; reason: string; fields: readonly Field[] }) {
  const [busy, setBusy] = useState(false);
  const words = useResource(`words ${id}`, async (): Promise<Loose[]> => {
    const { pages } = (await request("GET /api/files/{id}/pages", { path: { id }, query: { words: true } })) as { pages: Loose[] };
    return pages.flatMap((page) => (Array.isArray(page.words) ? page.words.map((word): Loose => ({ ...loose(word), page: page.number })) : [])).filter((word) => typeof word.other === "string" && word.other !== "");
  });
  const read = readReason(reason);
  if (read.kind !== "twoWays") return null;
  const field = fields.find((one) => one.name === read.field);
  const word = field?.box ? words.value?.find((one) => one.page === field.page && overlap(boxOf(one.box), field.box)) : undefined;
  const saw = readers[String(word?.by)];
  const remedy = remedyOf(reason);
  const taken = remedy !== null && "take" in remedy ? remedy.take : null;
  const take = async () => {
    if (!taken) return;
    setBusy(true);
    try {
      await request(`PATCH /api/${kind}s/{id}`, { path: { id }, body: { [taken.field]: taken.value } });
      toast(text.papers.saved(fieldWord(taken.field)));
      refreshWhere(() => true);
    } catch (error) {
      toast(failureLine(asFailure(error)));
    }
    setBusy(false);
  };
  return (
    <>
      {saw && (
        <span className="muted">
          ({text.papers.saw(saw[0], read.one)}, {text.papers.saw(saw[1], read.other)}){" "}
        </span>
      )}
      {taken && field?.value !== taken.value && (
        <button className="button small" disabled={busy} onClick={() => void take()}>
          {text.papers.take(read.other)}
        </button>
      )}
    </>
  );
}

// A word is where the field is when half of it lies there.
function overlap(word: Box | null, field: Box | null): boolean {
  if (!word || !field) return false;
  const wide = Math.min(word.left + word.width, field.left + field.width) - Math.max(word.left, field.left);
  const high = Math.min(word.top + word.height, field.top + field.height) - Math.max(word.top, field.top);
  return wide > word.width / 2 && high > word.height / 2;
}
