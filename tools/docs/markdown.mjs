// markdown.mjs — a Markdown file as a page of the site: its HTML, headings with addresses, links to pages and sources.
import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import highlighter from "highlight.js/lib/common";
import cmake from "highlight.js/lib/languages/cmake";
import MarkdownIt from "markdown-it";

highlighter.registerLanguage("cmake", cmake);

export const escaped = (text) =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

export const highlighted = (code, language) =>
  highlighter.getLanguage(language) ? highlighter.highlight(code, { language, ignoreIllegals: true }).value : escaped(code);

// As GitHub makes them, so that a link works in both places.
export const slug = (text) =>
  text.toLowerCase().replace(/[^\p{L}\p{N}\s_-]/gu, "").trim().replace(/\s/g, "-");

// The way from one page of the site to another.
export function between(from, to) {
  const [path, anchor] = to.split("#");
  const way = path === from ? posix.basename(path) : posix.relative(posix.dirname(from), path);
  return anchor === undefined ? way : `${way}#${anchor}`;
}

const withoutIndent = (line) => line.trim();

// Whether the lines of `quote` stand in `program` in this order, each run between … of them without a gap.
function isQuoteOf(quote, program) {
  const lines = program.split("\n").map(withoutIndent).filter(Boolean);
  const parts = quote
    .split(/^\s*(?:\/\/\s*)?…\s*$/m)
    .map((part) => part.split("\n").map(withoutIndent).filter(Boolean))
    .filter((part) => part.length);
  let from = 0;
  for (const part of parts) {
    const at = lines.findIndex((_, i) => i >= from && part.every((line, k) => lines[i + k] === line));
    if (at < 0) return part;
    from = at + part.length;
  }
  return null;
}

export class Markdown {
  constructor(root, addresses) {
    this.root = root;
    this.addresses = addresses; // of the Markdown files
    this.sources = new Map(); // repository path → address, of what pages link to
    this.images = [];
    this.problems = [];
    this.engine = new MarkdownIt({ html: false, linkify: false });
    this.engine.renderer.rules.fence = (tokens, at, options, env) => this.fence(tokens[at], env);
    this.engine.renderer.rules.table_open = () => '<div class="wide" tabindex="0"><table>\n';
    this.engine.renderer.rules.table_close = () => "</table></div>\n";
  }

  fence(token, env) {
    const [language, program] = token.info.trim().split(/\s+/);
    if (program) {
      const path = join(this.root, program);
      const part = existsSync(path) ? isQuoteOf(token.content, readFileSync(path, "utf8")) : ["no such file"];
      if (part) this.problems.push(`${env.file}: ${program} does not say: ${part[0]}`);
    }
    const from = program
      ? `<p class="from"><a href="${between(env.address, this.source(program))}">${escaped(program)}</a></p>`
      : "";
    return `${from}<pre tabindex="0"><code>${highlighted(token.content, language)}</code></pre>\n`;
  }

  // The address of a file or folder of the repository that is no page itself.
  source(path) {
    if (!this.sources.has(path)) this.sources.set(path, `source/${path.replace(/\/$/, "")}.html`);
    return this.sources.get(path);
  }

  // Where a link of `file` leads on the site.
  target(href, file, address) {
    if (/^[a-z][a-z0-9+.-]*:/.test(href)) return href;
    const [path, anchor] = href.split("#");
    const hash = anchor === undefined ? "" : `#${anchor}`;
    if (!path) return hash;
    const full = posix.normalize(posix.join(dirname(file), decodeURIComponent(path))).replace(/\/$/, "");
    if (this.addresses.has(full)) return between(address, this.addresses.get(full) + hash);
    if (full === "docs") return between(address, "index.html");
    if (full.startsWith("include/belay/") && full.split("/").length === 3)
      return between(address, `api/${posix.basename(full, ".hpp")}.html`);
    if (full.startsWith("..") || !existsSync(join(this.root, full))) {
      this.problems.push(`${file}: a link to ${href}, which does not exist`);
      return href;
    }
    return between(address, this.source(full));
  }

  image(src, file, address) {
    const full = posix.normalize(posix.join(dirname(file), src));
    if (/^[a-z]+:/.test(src) || !existsSync(join(this.root, full)) || !statSync(join(this.root, full)).isFile()) {
      this.problems.push(`${file}: a picture ${src}, which is not in the repository`);
      return src;
    }
    const to = full.replace(/^docs\//, "");
    if (!this.images.some((one) => one.to === to)) this.images.push({ from: full, to });
    return between(address, to);
  }

  page(file) {
    return this.render(readFileSync(join(this.root, file), "utf8"), file, this.addresses.get(file));
  }

  render(text, file, address) {
    const env = { file, address };
    const tokens = this.engine.parse(text, env);
    const headings = [];
    const known = new Map();
    const ways = (inline) => {
      for (const child of inline.children ?? []) {
        if (child.type === "link_open") {
          const href = this.target(child.attrGet("href"), file, address);
          child.attrSet("href", href);
          if (/^https?:/.test(href)) child.attrSet("rel", "noreferrer");
        }
        if (child.type === "image") child.attrSet("src", this.image(child.attrGet("src"), file, address));
      }
    };
    tokens.forEach((token, at) => {
      if (token.type === "inline") ways(token);
      if (token.type !== "heading_open") return;
      const plain = tokens[at + 1].children.map((one) => one.content).join("");
      const base = slug(plain);
      const times = known.get(base) ?? 0;
      known.set(base, times + 1);
      const id = times ? `${base}-${times}` : base;
      token.attrSet("id", id);
      headings.push({ level: Number(token.tag[1]), text: plain, id });
    });
    const title = headings.find((one) => one.level === 1)?.text ?? file;
    return { file, address, title, headings, html: this.engine.renderer.render(tokens, this.engine.options, env) };
  }
}
