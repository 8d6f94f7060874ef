// markdown.tsx — Markdown as elements: headings, lists, quotes, tables, code, links. No HTML is ever taken from the
// text, and a link may only lead to the web: what was fetched is a stranger's. So its time is linear in the text's
// length, whatever is opened and never closed (inline.ts); what is nested deeper than anybody writes stays text.
import { Fragment, type ReactNode } from "react";
import { type Piece, pieces } from "./inline";

export function Markdown({ source }: { source: string }) {
  return <div className="markdown">{blocks(source.replaceAll("\r\n", "\n").split("\n"))}</div>;
}

// Each matches in one pass: no two neighbours in them can take the same character.
const kHeading = /^(#{1,6})\s+(\S.*)?$/;
const kItem = /^(\s*)(?:[-*+]|(\d+)[.)])\s+(.*)$/;
const kRule = /^\s*([-*_])(?:\s*\1){2,}\s*$/;
const kFence = /^\s*(```|~~~)/;
const kTableLine = /^\|?\s*:?-{2,}:?\s*(?:\|\s*:?-{2,}:?\s*)*\|?$/;
const kDepthMax = 16;

export function blocks(lines: string[], depth = 0): ReactNode[] {
  const out: ReactNode[] = [];
  let at = 0;
  const key = () => `${at}`;
  while (at < lines.length) {
    const line = lines[at] ?? "";
    if (line.trim() === "") {
      at++;
      continue;
    }
    const heading = kHeading.exec(line);
    if (heading) {
      // The view's own title is the first level.
      const Level = `h${Math.min(6, (heading[1]?.length ?? 1) + 1)}` as "h2";
      out.push(<Level key={key()}>{inline(title(heading[2] ?? ""))}</Level>);
      at++;
    } else if (kFence.test(line)) {
      const fence = kFence.exec(line)?.[1] ?? "```";
      const first = key();
      const code: string[] = [];
      for (at++; at < lines.length && !(lines[at] ?? "").trim().startsWith(fence); at++) code.push(lines[at] ?? "");
      at++;
      out.push(
        <pre key={first} className="json" tabIndex={0}>
          <code>{code.join("\n")}</code>
        </pre>,
      );
    } else if (kRule.test(line)) {
      out.push(<hr key={key()} />);
      at++;
    } else if (line.startsWith(">") && depth < kDepthMax) {
      const first = key();
      const quoted: string[] = [];
      for (; at < lines.length && (lines[at] ?? "").startsWith(">"); at++) quoted.push((lines[at] ?? "").replace(/^> ?/, ""));
      out.push(<blockquote key={first}>{blocks(quoted, depth + 1)}</blockquote>);
    } else if (isTable(lines, at)) {
      const first = key();
      const rows: string[][] = [];
      for (; at < lines.length && (lines[at] ?? "").includes("|"); at++) rows.push(cells(lines[at] ?? ""));
      out.push(<Table key={first} rows={rows} />);
    } else if (kItem.test(line)) {
      const first = key();
      const items: string[] = [];
      for (; at < lines.length && (kItem.test(lines[at] ?? "") || /^\s+\S/.test(lines[at] ?? "")); at++) items.push(lines[at] ?? "");
      out.push(<Fragment key={first}>{list(items, depth)}</Fragment>);
    } else {
      const first = key();
      const words: string[] = [];
      // The first is text whatever it looks like: nothing else took it.
      do words.push(lines[at++] ?? "");
      while (at < lines.length && isText(lines[at] ?? "") && !isTable(lines, at));
      out.push(<p key={first}>{inline(words.join("\n"))}</p>);
    }
  }
  return out;
}

// Without the hashes that may close a heading.
function title(text: string): string {
  let end = text.trimEnd().length;
  while (end > 0 && text[end - 1] === "#") end--;
  return text.slice(0, end).trimEnd();
}
function isText(line: string): boolean {
  return line.trim() !== "" && !kHeading.test(line) && !kFence.test(line) && !line.startsWith(">") && !kItem.test(line) && !kRule.test(line);
}
function isTable(lines: string[], at: number): boolean {
  return (lines[at] ?? "").includes("|") && kTableLine.test((lines[at + 1] ?? "").trim());
}
function cells(line: string): string[] {
  return line.trim().replace(/^\||\|$/g, "").split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll("\\|", "|"));
}

function Table({ rows }: { rows: string[][] }) {
  const [head = [], , ...body] = rows;
  return (
    <div className="markdown-table" tabIndex={0} role="region" aria-label={head.join(", ")}>
      <table>
        <thead>
          <tr>
            {head.map((cell, at) => (
              <th key={at} scope="col">
                {inline(cell)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {body.map((row, at) => (
            <tr key={at}>
              {row.map((cell, column) => (
                <td key={column}>{inline(cell)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

// Items with what is indented below them.
function list(lines: string[], depth: number): ReactNode {
  const items: { text: string; inside: string[]; ordered: boolean }[] = [];
  const base = kItem.exec(lines[0] ?? "")?.[1]?.length ?? 0;
  for (const line of lines) {
    const item = kItem.exec(line);
    const last = items.at(-1);
    if (item && ((item[1]?.length ?? 0) <= base || !last)) items.push({ text: item[3] ?? "", inside: [], ordered: item[2] !== undefined });
    else if (last && item) last.inside.push(line);
    else if (last && last.inside.length === 0) last.text += ` ${line.trim()}`;
    else last?.inside.push(line);
  }
  const List = items[0]?.ordered ? "ol" : "ul";
  return (
    <List>
      {items.map((item, at) => (
        <li key={at}>
          {inline(item.text)}
          {item.inside.length > 0 && (depth < kDepthMax ? list(item.inside, depth + 1) : item.inside.join("\n"))}
        </li>
      ))}
    </List>
  );
}

export function inline(source: string): ReactNode[] {
  return shown(pieces(source));
}

function shown(parts: Piece[]): ReactNode[] {
  return parts.map((part, key) => {
    switch (part.kind) {
      case "text":
        return part.text;
      case "code":
        return <code key={key}>{part.text}</code>;
      case "picture":
        return part.text ? <span key={key} className="muted">[{part.text}]</span> : null;
      case "link":
        return <Away key={key} href={part.href}>{shown(part.inside)}</Away>;
      case "strong":
        return <strong key={key}>{shown(part.inside)}</strong>;
      case "em":
        return <em key={key}>{shown(part.inside)}</em>;
    }
  });
}

export function Away({ href, children }: { href: string; children: ReactNode }) {
  if (!/^https?:\/\//i.test(href)) return <>{children}</>;
  return (
    <a href={href} target="_blank" rel="noreferrer noopener">
      {children}
    </a>
  );
}
