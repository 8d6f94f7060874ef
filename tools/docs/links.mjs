// links.mjs — every href and src of a site leads to a file of it, and every # to something on that page.
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join, posix } from "node:path";

function htmlFiles(folder, under = "") {
  return readdirSync(join(folder, under), { withFileTypes: true }).flatMap((one) =>
    one.isDirectory() ? htmlFiles(folder, posix.join(under, one.name)) : one.name.endsWith(".html") ? [posix.join(under, one.name)] : [],
  );
}

export function checkLinks(folder) {
  const files = htmlFiles(folder);
  const texts = new Map(files.map((file) => [file, readFileSync(join(folder, file), "utf8")]));
  const ids = new Map(files.map((file) => [file, new Set([...texts.get(file).matchAll(/ id="([^"]*)"/g)].map((m) => m[1]))]));
  const problems = [];
  for (const [file, text] of texts) {
    for (const [, kind, raw] of text.matchAll(/ (href|src)="([^"]*)"/g)) {
      const link = raw.replaceAll("&amp;", "&");
      if (/^(https?|mailto):/.test(link) && kind === "href") continue;
      if (/^[a-z]+:/.test(link) || link.startsWith("/")) {
        problems.push(`${file}: ${link} leads out of the site`);
        continue;
      }
      const [path, anchor] = link.split("#");
      const target = path ? posix.normalize(posix.join(posix.dirname(file), decodeURIComponent(path))) : file;
      if (!existsSync(join(folder, target))) problems.push(`${file}: a link to ${link}, which does not exist`);
      else if (anchor && !ids.get(target)?.has(decodeURIComponent(anchor)))
        problems.push(`${file}: a link to ${link}: there is nothing called #${anchor}`);
    }
  }
  return problems;
}
