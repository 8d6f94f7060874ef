// page_image.tsx — the paper itself, with a frame around what is pointed at.
import { useEffect, useRef, useState } from "react";
import { FileImage } from "../../parts/file_image";
import { Icon } from "../../parts/icon";
import { text } from "../../text";
import type { Box, PageOf } from "./paper";

interface Props {
  pages: PageOf[];
  fileId: string;
  picture: boolean; // the file itself is one
  shown: { page: number; box: Box | null; goThere?: boolean } | null;
  marks: { page: number; box: Box; doubtful: boolean }[];
}

export function PageImages({ pages, fileId, picture, shown, marks }: Props) {
  const list = pages.length > 0 ? pages : [{ number: 1, fileId, width: 0, height: 0, rotation: 0, text: "" }];
  return (
    <div className="pages" tabIndex={0} role="group" aria-label={text.papers.pages}>
      {list.map((page) => (
        <OnePage key={page.number} page={page} sources={sourcesOf(fileId, page, picture)} box={shown?.page === page.number ? shown.box : null} goThere={shown?.goThere ?? false} marks={marks.filter((one) => one.page === page.number)} />
      ))}
    </div>
  );
}

// As it was read (turned upright, PDFs drawn); the picture itself if the server cannot draw pages.
function sourcesOf(fileId: string, page: PageOf, picture: boolean): string[] {
  const file = `/api/files/${encodeURIComponent(fileId)}`;
  const drawn = `${file}/pages/${page.number}?side=1600&rotation=${page.rotation}`;
  return picture ? [drawn, `${file}/content`] : [drawn];
}

function OnePage({ page, sources, box, goThere, marks }: { page: PageOf; sources: string[]; box: Box | null; goThere: boolean; marks: Props["marks"] }) {
  const [tried, setTried] = useState(0);
  const source = sources[tried];
  const broken = source === undefined;
  const frame = useRef<HTMLElement>(null);
  // Only for whoever chose the field: what a mouse passes over moves nothing.
  useEffect(() => {
    if (box && goThere) frame.current?.scrollIntoView({ block: "nearest", behavior: "auto" });
  }, [box, goThere]);
  const place = (one: Box) => ({
    left: `${(one.left / page.width) * 100}%`,
    top: `${(one.top / page.height) * 100}%`,
    width: `${(one.width / page.width) * 100}%`,
    height: `${(one.height / page.height) * 100}%`,
  });
  const sized = page.width > 0 && page.height > 0;
  return (
    <figure className="page card" style={sized ? { aspectRatio: `${page.width} / ${page.height}` } : undefined}>
      {broken ? (
        <div className="page-text" tabIndex={0} role="region" aria-label={text.papers.page(page.number)}>
          <p className="small muted row">
            <Icon name="documents" size={15} /> {text.papers.textOnly}
          </p>
          <pre>{page.text}</pre>
        </div>
      ) : (
        <FileImage path={source} alt={text.papers.page(page.number)} onError={() => setTried(tried + 1)} />
      )}
      {sized && !broken && marks.map((one, at) => <i key={at} className="mark" data-doubtful={one.doubtful || undefined} style={place(one.box)} />)}
      {sized && !broken && box && <i ref={frame} className="mark mark-now" style={place(box)} />}
    </figure>
  );
}
