// markdown.tsx — Markdown as elements: headings, lists, quotes, tables, code, links. No HTML is ever taken from the
// text, and a link may only lead to the web: what was fetched is a stranger's.
import { Fragment, type ReactNode } from "react";

export function Markdown({ source }: { source: string }) {
  return <div className="markdown">{blocks(source.replaceAll("\r\n", "\n").split("\n"))}</div>;
}

const kHeading = /^(#{1,6})\s+(.*?)\s*#*$/;
const kItem = /^(\s*)(?:[-*+]|(\d+)[.)])\s+(.*)$/;
const kRule = /^\s*([-*_])(?:\s*\1){2,}\s*$/;
const kFence = /^\s*(```|~~~)/;

function blocks(lines: string[]): ReactNode[] {
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
      out.push(<Level key={key()}>{inline(heading[2] ?? "")}</Level>);
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
    } else if (line.startsWith(">")) {
      const first = key();
      const quoted: string[] = [];
      for (; at < lines.length && (lines[at] ?? "").startsWith(">"); at++) quoted.push((lines[at] ?? "").replace(/^> ?/, ""));
      out.push(<blockquote key={first}>{blocks(quoted)}</blockquote>);
    } else if (isTable(lines, at)) {
      const first = key();
      const rows: string[][] = [];
      for (; at < lines.length && (lines[at] ?? "").includes("|"); at++) rows.push(cells(lines[at] ?? ""));
      out.push(<Table key={first} rows={rows} />);
    } else if (kItem.test(line)) {
      const first = key();
      const items: string[] = [];
      for (; at < lines.length && (kItem.test(lines[at] ?? "") || /^\s+\S/.test(lines[at] ?? "")); at++) items.push(lines[at] ?? "");
      out.push(<Fragment key={first}>{list(items)}</Fragment>);
    } else {
      const first = key();
      const words: string[] = [];
      for (; at < lines.length && isText(lines[at] ?? "") && !(words.length > 0 && isTable(lines, at)); at++) words.push(lines[at] ?? "");
      out.push(<p key={first}>{inline(words.join("\n"))}</p>);
    }
  }
  return out;
}

function isText(line: string): boolean {
  return line.trim() !== "" && !kHeading.test(line) && !kFence.test(line) && !line.startsWith(">") && !kItem.test(line) && !kRule.test(line);
}
function isTable(lines: string[], at: number): boolean {
  return (lines[at] ?? "").includes("|") && /^\s*\|?\s*:?-{2,}:?\s*(\|\s*:?-{2,}:?\s*)*\|?\s*$/.test(lines[at + 1] ?? "");
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
function list(lines: string[]): ReactNode {
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
          {item.inside.length > 0 && list(item.inside)}
        </li>
      ))}
    </List>
  );
}

const kInline = /(`+)(.+?)\1|!\[([^\]]*)\]\(([^)\s]*)[^)]*\)|\[((?:[^\][]|\[[^\]]*\])*)\]\(((?:[^()\s]|\([^()]*\))*)[^)]*\)|\*\*(.+?)\*\*|__(.+?)__|(?<![\w*])\*(?!\s)(.+?)\*(?!\w)|(?<!\w)_(?!\s)(.+?)_(?!\w)|\\([\\`*_{}[\]()#+\-.!|>~])/gs;

export function inline(source: string): ReactNode[] {
  const out: ReactNode[] = [];
  let from = 0;
  let key = 0;
  for (const found of source.matchAll(kInline)) {
    if (found.index > from) out.push(source.slice(from, found.index));
    from = found.index + found[0].length;
    key++;
    const [, , code, alt, , label, href, bold, bold2, slant, slant2, escaped] = found;
    if (code !== undefined) out.push(<code key={key}>{code}</code>);
    else if (alt !== undefined) out.push(alt ? <span key={key} className="muted">[{alt}]</span> : null);
    else if (label !== undefined) out.push(<Away key={key} href={href ?? ""}>{inline(label)}</Away>);
    else if (bold !== undefined || bold2 !== undefined) out.push(<strong key={key}>{inline(bold ?? bold2 ?? "")}</strong>);
    else if (slant !== undefined || slant2 !== undefined) out.push(<em key={key}>{inline(slant ?? slant2 ?? "")}</em>);
    else out.push(escaped);
  }
  if (from < source.length) out.push(source.slice(from));
  return out;
}

export function Away({ href, children }: { href: string; children: ReactNode }) {
  if (!/^https?:\/\//i.test(href)) return <>{children}</>;
  return (
    <a href={href} target="_blank" rel="noreferrer noopener">
      {children}
    </a>
  );
}
