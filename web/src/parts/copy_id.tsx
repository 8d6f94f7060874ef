// copy_id.tsx — an id that is too long to read: its two ends, the whole of it at one click.
import { text } from "../text";
import { toast } from "./toasts";

const kEnds = 12;

export function CopyId({ id }: { id: string }) {
  const short = id.length > kEnds * 2 + 3 ? `${id.slice(0, kEnds)}…${id.slice(-6)}` : id;
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(id);
      toast(text.copied);
    } catch {
      toast(id); // no clipboard without https: it can be copied from here
    }
  };
  return (
    <button className="copy-id mono" title={id} onClick={() => void copy()}>
      <span className="hidden">{text.copyId} </span>
      {short}
    </button>
  );
}
