// api.mjs — the API reference: a page for each public header, and one with every name.
import { readFileSync, readdirSync, existsSync } from "node:fs";
import { join } from "node:path";
import { bare, nameOf, readHeader } from "./headers.mjs";
import { between, escaped, highlighted, slug } from "./markdown.mjs";

// What a comment of a header says, as Markdown: its drawings and programs are indented, its tables are columns of spaces.
function asMarkdown(comment) {
  const isCode = (line) => /^ {2,}\S/.test(line) && !/^ *[-•] /.test(line);
  const isColumns = (line) => /^\S.*\S {3,}\S/.test(line) || /^\w+ {2,}\w/.test(line);
  return comment
    .split(/\n\s*\n/)
    .map((paragraph) => {
      const lines = paragraph.split("\n");
      if (lines.some((line) => !isCode(line) && isColumns(line))) {
        const first = lines.findIndex((line) => isColumns(line) || isCode(line));
        return [...lines.slice(0, first), "```", ...lines.slice(first), "```"].join("\n");
      }
      const out = [];
      let inCode = false;
      for (const line of lines) {
        if (isCode(line) !== inCode) out.push(inCode ? "```" : "```cpp");
        inCode = isCode(line);
        out.push(inCode ? line.replace(/^ {2,4}/, "") : line.replace(/^ +(- )/, "$1"));
      }
      if (inCode) out.push("```");
      return out.join("\n");
    })
    .join("\n\n");
}

class Reference {
  constructor(root, markdown, headers) {
    this.root = root;
    this.markdown = markdown;
    this.types = new Map(); // name → address of the class that has it
    for (const header of headers)
      for (const item of header.items)
        if (item.kind === "class" || item.kind === "enum")
          if (!/[<:]/.test(item.name)) this.types.set(item.name, `${header.address}#${slug(item.name)}`);
  }

  comment(text, page) {
    if (!text) return "";
    const { html } = this.markdown.render(asMarkdown(text), `include/belay/${page.name}`, page.address);
    // Pages and headers are named in plain words there.
    return html.replace(/(?<![\w/"])(docs\/[\w./-]+\.md|belay\/(\w+)\.hpp)/g, (whole, path, header) => {
      if (header) {
        const exists = existsSync(join(this.root, "include", path));
        return exists ? `<a href="${between(page.address, `api/${header}.html`)}">${path}</a>` : whole;
      }
      const address = this.markdown.addresses.get(path);
      if (!address) this.markdown.problems.push(`include/belay/${page.name}: names ${path}, which does not exist`);
      return `<a href="${between(page.address, address ?? path)}">${path}</a>`;
    });
  }

  // The ways to write it, with the types that are described here as links.
  signature(text, page, own) {
    const plain = bare(text);
    const before = text.slice(0, text.length - plain.length).trim();
    const html = highlighted(before ? `${before}\n${plain}` : text, "cpp");
    return html.replace(/(<[^>]*>)|\b([A-Z]\w+)\b/g, (whole, tag, name) => {
      if (tag || name === own || !this.types.has(name)) return whole;
      return `<a href="${between(page.address, this.types.get(name))}">${name}</a>`;
    });
  }

  id(page, name) {
    const base = slug(name.replaceAll("::", "-").replace(/[~]/g, "destructor-").replace(/operator\s*(.*)/, (_, what) =>
      `operator-${/^\w/.test(what) ? what : [...what].map((c) => c.charCodeAt(0).toString(16)).join("")}`).replace(/[<>]/g, "-"));
    let id = base;
    for (let n = 2; page.ids.has(id); n += 1) id = `${base}-${n}`;
    page.ids.add(id);
    return id;
  }

  entries(item, page, prefix) {
    const rows = item.signatures.map((one) => {
      const name = prefix + nameOf(one.text);
      const id = this.id(page, name);
      page.declared.push({ name, id, line: one.line });
      const behind = one.trailing ? `<span class="behind">${escaped(one.trailing)}</span>` : "";
      return `<pre class="signature" id="${id}" data-name="${escaped(name)}"><code>${this.signature(one.text, page, "")}</code></pre>${behind}`;
    });
    return `<section class="entry">${rows.join("\n")}\n<div class="says">${this.comment(item.comment, page)}</div></section>`;
  }

  item(item, page, prefix, level) {
    if (item.kind === "note") return `<div class="note">${this.comment(item.text, page)}</div>`;
    if (item.kind === "heading") {
      const [first, ...more] = item.text.split(/[.\n]/);
      const id = this.id(page, `${prefix}section ${first}`);
      return `<h${level} id="${id}">${escaped(first)}</h${level}>${more.join(" ").trim() ? this.comment(item.text.slice(first.length + 1).trim(), page) : ""}`;
    }
    if (item.kind === "entries") return this.entries(item, page, prefix);
    const name = prefix + item.name;
    const id = this.id(page, name);
    page.declared.push({ name, id, line: item.line });
    page.headings.push({ level: Math.min(level, 4), text: name, id });
    const head = `<h${level} id="${id}" data-name="${escaped(name)}">${escaped(name)}</h${level}>
<pre class="signature"><code>${this.signature(item.signature, page, item.name)}</code></pre>
${this.comment(item.comment, page)}`;
    if (item.kind === "enum") {
      const rows = item.values.map((value) => {
        const full = `${name}::${value.name}`;
        const one = this.id(page, full);
        page.declared.push({ name: full, id: one, line: item.line });
        return `<tr><td id="${one}" data-name="${escaped(full)}"><code>${escaped(value.name)}</code></td><td>${escaped(value.comment)}</td></tr>`;
      });
      return `${head}<div class="wide" tabindex="0"><table><tbody>${rows.join("\n")}</tbody></table></div>`;
    }
    return `${head}<div class="members">${this.items(item.items, page, `${name}::`, Math.min(level + 1, 4))}</div>`;
  }

  items(items, page, prefix, level) {
    return items.map((one) => this.item(one, page, prefix, level)).join("\n");
  }
}

// The machinery of co_await and of the engine, which no program names.
const isMachinery = (item) =>
  (item.kind === "class" && item.name === "Awaiter") ||
  (item.kind === "entries" && item.signatures.every((one) => /^using promise_type\b/.test(bare(one.text))));
const withoutMachinery = (items) =>
  items.filter((item) => !isMachinery(item)).map((item) => (item.items ? { ...item, items: withoutMachinery(item.items) } : item));

export function apiPages(root, markdown) {
  const folder = join(root, "include/belay");
  if (!existsSync(folder)) return [];
  const headers = readdirSync(folder)
    .filter((name) => name.endsWith(".hpp"))
    .sort()
    .map((name) => {
      const header = readHeader(readFileSync(join(folder, name), "utf8"), `include/belay/${name}`);
      return { ...header, items: withoutMachinery(header.items), address: `api/${name.replace(".hpp", "")}.html` };
    });
  const reference = new Reference(root, markdown, headers);
  const pages = headers.map((header) => {
    const page = { ...header, short: header.name, title: `<belay/${header.name}>`, isApi: true, ids: new Set(["content"]), declared: [] };
    page.headings = [{ level: 1, text: page.title, id: "top" }];
    page.ids.add("top");
    const inner = reference.items(header.items, page, "", 2);
    page.html = `<h1 id="top">&lt;belay/${header.name}&gt;</h1>
<p class="lead">${escaped(header.title)}</p>
${reference.comment(header.about, page)}
${inner}`;
    return page;
  });

  const rows = pages.flatMap((page) => page.declared.map((one) => ({ ...one, page })));
  rows.sort((a, b) => (a.name.toLowerCase() < b.name.toLowerCase() ? -1 : 1));
  const index = { address: "api/index.html", short: "Every name", title: "API reference", isApi: true, declared: [] };
  index.headings = [{ level: 1, text: index.title, id: "top" }];
  index.html = `<h1 id="top">API reference</h1>
<p>Made from the comments of <code>include/belay</code>. Everything is in the namespace <code>belay</code>; what is in
<code>belay::detail</code> may change with any version.</p>
<div class="wide" tabindex="0"><table><tbody>${pages.map((page) => `<tr><td><a href="${page.address.slice(4)}">${page.name}</a></td><td>${escaped(page.title === page.name ? "" : page.lead ?? headers.find((one) => one.name === page.name).title)}</td></tr>`).join("\n")}</tbody></table></div>
<h2 id="names">Every name</h2>
<ul class="names">${[...new Map(rows.map((one) => [one.name, one])).values()].map((one) => `<li><a href="${one.page.address.slice(4)}#${one.id}"><code>${escaped(one.name)}</code></a></li>`).join("\n")}</ul>`;
  index.headings.push({ level: 2, text: "Every name", id: "names" });
  return [index, ...pages];
}
