// sources.mjs — pages for the files and folders of the repository that others link to: programs, scripts, SQL.
import { readFileSync, readdirSync, statSync } from "node:fs";
import { extname, join, posix } from "node:path";
import { between, escaped, highlighted } from "./markdown.mjs";

const languages = {
  ".cpp": "cpp", ".hpp": "cpp", ".sql": "sql", ".py": "python", ".mjs": "javascript", ".ts": "typescript",
  ".sh": "bash", ".json": "json", ".yaml": "yaml", ".yml": "yaml", ".cmake": "cmake",
};
const kBytesMax = 200_000;

export function sourcePages(root, sources) {
  const pages = [];
  const fileOf = (path) => {
    const text = readFileSync(join(root, path));
    const readable = text.length <= kBytesMax && !text.includes(0);
    const code = readable ? highlighted(text.toString("utf8"), languages[extname(path)] ?? "plaintext") : "";
    const html = readable
      ? `<pre tabindex="0"><code>${code}</code></pre>`
      : `<p>${text.length.toLocaleString("en")} bytes; see it in the repository.</p>`;
    pages.push({ address: sources.get(path), title: path, headings: [], html: `<h1>${escaped(path)}</h1>\n${html}`, isSource: true });
  };
  // Files of a folder get pages of their own, folders inside it are only named.
  for (const path of [...sources.keys()]) {
    if (!statSync(join(root, path)).isDirectory()) continue;
    const rows = readdirSync(join(root, path), { withFileTypes: true }).map((one) => {
      const inside = posix.join(path, one.name);
      if (one.isDirectory()) return `<li>${escaped(one.name)}/</li>`;
      if (!sources.has(inside)) sources.set(inside, `source/${inside}.html`);
      return `<li><a href="${between(sources.get(path), sources.get(inside))}">${escaped(one.name)}</a></li>`;
    });
    const html = `<h1>${escaped(path)}/</h1>\n<ul>\n${rows.join("\n")}\n</ul>`;
    pages.push({ address: sources.get(path), title: `${path}/`, headings: [], html, isSource: true });
  }
  for (const path of sources.keys()) if (statSync(join(root, path)).isFile()) fileOf(path);
  return pages;
}
