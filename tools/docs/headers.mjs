// headers.mjs — the public declarations of include/belay, with the contract comments above them.
//
//   readHeader(text) → { title, about, code, items: [Item] }
//   Item: { kind: "class" | "enum" | "entries" | "note" | "heading", … }; entries have signatures that share a comment
//
// It knows the house's style and nothing else: full-line comments directly above a declaration belong to it, a comment behind
// one too; a declaration without a comment directly below another shares that one's. What it cannot read is an error that
// names the line: a declaration must not go missing from the reference in silence. `detail` is left out, and what is private.

class Source {
  constructor(text, file) {
    this.text = text;
    this.file = file;
    this.at = 0;
  }
  fail(what) {
    throw new Error(`${this.file}:${this.line()}: ${what}`);
  }
  line(at = this.at) {
    return this.text.slice(0, at).split("\n").length;
  }
  blankLineAhead() {
    return /^[ \t]*\n[ \t]*\n/.test(this.text.slice(this.at));
  }
}

const opening = { "(": ")", "[": "]", "{": "}" };

// Past the string, character, comment or bracket that begins at `at`; at + 1 for anything else.
function skip(text, at) {
  const two = text.slice(at, at + 2);
  if (two === "//") return text.indexOf("\n", at) < 0 ? text.length : text.indexOf("\n", at);
  if (text[at] === '"') {
    for (at += 1; text[at] !== '"'; at += 1) if (text[at] === "\\") at += 1;
    return at + 1;
  }
  // A quote inside a number separates digits.
  if (text[at] === "'" && !/[0-9]/.test(text[at - 1])) {
    for (at += 1; text[at] !== "'"; at += 1) if (text[at] === "\\") at += 1;
    return at + 1;
  }
  const close = opening[text[at]];
  if (!close) return at + 1;
  for (at += 1; text[at] !== close; ) {
    if (at >= text.length) throw new Error("a bracket is never closed");
    at = skip(text, at);
  }
  return at + 1;
}

const withoutComments = (text) => {
  let out = "";
  for (let at = 0; at < text.length; ) {
    if (text.slice(at, at + 2) === "//") at = skip(text, at);
    else if (text[at] === '"') {
      const end = skip(text, at);
      out += text.slice(at, end);
      at = end;
    } else out += text[at++];
  }
  return out;
};
const oneLine = (text) =>
  withoutComments(text).replace(/\s+/g, " ").replace(/\( /g, "(").replace(/ \)/g, ")").trim();

const joined = (lines) => lines.map((line) => line.replace(/^\s*\/\/ ?/, "")).join("\n").trim();

// The head of a declaration without templates, constraints and attributes: "class Engine", "void stop()".
export function bare(signature) {
  let text = signature;
  for (let before = ""; before !== text; ) {
    before = text;
    text = text.replace(/^\[\[.*?\]\]\s*/, "");
    if (/^template\s*</.test(text)) text = text.slice(afterAngles(text, text.indexOf("<"))).trim();
    if (/^requires\s*\(/.test(text)) text = text.slice(skip(text, text.indexOf("("))).trim();
    else if (/^requires\s/.test(text)) text = text.slice(afterAngles(text, text.indexOf("<"))).trim();
  }
  return text.replace(/^(class|struct)\s+\[\[.*?\]\]\s*/, "$1 ");
}

function afterAngles(text, at) {
  let depth = 0;
  for (; at < text.length; ) {
    if (text[at] === "<") depth += 1;
    if (text[at] === ">" && --depth === 0) return at + 1;
    at = "([{\"'".includes(text[at]) ? skip(text, at) : at + 1;
  }
  throw new Error(`no end of <…> in ${text}`);
}

// The name that a signature declares.
export function nameOf(signature) {
  const text = bare(signature);
  let found = /^using\s+(\w+)\s*=/.exec(text) ?? /^concept\s+(\w+)/.exec(text);
  if (found) return found[1];
  found = /^(?:class|struct|enum class|enum)\s+([\w:]+(?:<.*?>)?)/.exec(text);
  if (found) return found[1];
  found = /\boperator\s*(co_await|bool|\(\)|[^\s\w(]+|\w+)\s*\(/.exec(text);
  if (found) return `operator${/^\w/.test(found[1]) ? " " : ""}${found[1]}`;
  found = /\(\*(\w+)\)\(/.exec(text); // a pointer to a function
  if (found) return found[1];
  // The name before the first parenthesis outside <…>.
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === "<") depth += 1;
    if (text[at] === ">" && text[at - 1] !== "-") depth -= 1;
    if (text[at] === "(" && depth === 0) {
      found = /([\w:~]+)\s*$/.exec(text.slice(0, at));
      return found ? found[1] : "";
    }
    if ((text[at] === "=" || text[at] === "{") && depth === 0) {
      found = /(\w+)\s*$/.exec(text.slice(0, at));
      return found ? found[1] : "";
    }
  }
  found = /(\w+)\s*;?$/.exec(text);
  return found ? found[1] : "";
}

const isFunction = (signature) => {
  const name = nameOf(signature);
  return name.startsWith("operator") || new RegExp(`(^|[\\s*&:>])${name.replace(/[~]/g, "\\~")}\\s*\\(`).test(bare(signature));
};

// Reads one declaration; gives its signature, and the place of a body that holds members.
function declaration(source) {
  const { text } = source;
  const from = source.at;
  for (let at = from; at < text.length; ) {
    if (text[at] === ";") {
      source.at = at + 1;
      return { signature: oneLine(text.slice(from, at)) };
    }
    if (text[at] !== "{") {
      at = skip(text, at);
      continue;
    }
    const head = oneLine(text.slice(from, at));
    const plain = bare(head);
    const scope = /^(inline )?namespace\b|^(class|struct|enum)\b/.test(plain);
    const end = skip(text, at);
    if (scope) {
      source.at = plain.startsWith("namespace") ? end : text.indexOf(";", end) + 1;
      return { signature: head, body: [at + 1, end - 1] };
    }
    // A body ends a function; braces in a constructor's list and in a value do not.
    const inList = /[\w>]$/.test(text.slice(from, at)) && /\)\s*:\s/.test(text.slice(from, at));
    if (/\(/.test(plain) && isFunction(head) && !inList && !/=\s*$/.test(head)) {
      source.at = end;
      return { signature: head };
    }
    at = end;
  }
  return source.fail(`a declaration without an end: ${oneLine(text.slice(from, from + 60))}`);
}

// The signature without a constructor's list.
function shown(signature) {
  let at = signature.startsWith("template") ? afterAngles(signature, signature.indexOf("<")) : 0;
  for (; at < signature.length; ) {
    if (/^\) (noexcept )?: /.test(signature.slice(at))) return signature.slice(0, at + 1);
    if (signature[at] === "(") {
      at = skip(signature, at) - 1;
      continue;
    }
    at += 1;
  }
  return signature;
}

function enumerators(body) {
  const values = [];
  let above = [];
  for (const part of body.split("\n")) {
    const code = withoutComments(part).trim();
    const comment = /\/\/ ?(.*)$/.exec(part)?.[1] ?? "";
    if (!code) {
      if (comment && values.length && /^\s{12,}\/\//.test(part)) values.at(-1).comment += ` ${comment}`;
      else if (comment) above.push(comment);
      continue;
    }
    const names = code.split(",").map((one) => one.trim()).filter(Boolean);
    for (const name of names) values.push({ name: name.replace(/\s*=.*/, ""), comment: names.at(-1) === name ? comment : "" });
    if (above.length) values.at(-names.length).comment = [...above, values.at(-names.length).comment].join(" ").trim();
    above = [];
  }
  return values;
}

// What stands in a namespace, or in a class whose members begin as `access`.
function members(source, end, access, owner, items) {
  const { text } = source;
  let comment = [];
  let gap = true; // something stands between this and the declaration above
  let visible = access === "public";
  const note = () => {
    if (comment.length && visible) {
      const said = joined(comment);
      const heading = /^-{4}\s*([\s\S]*)/.exec(said);
      items.push(heading ? { kind: "heading", text: heading[1] } : { kind: "note", text: said });
    }
    comment = [];
  };
  while (true) {
    if (source.blankLineAhead()) {
      note();
      gap = true;
    }
    source.at += /^\s*/.exec(text.slice(source.at))[0].length;
    if (source.at >= end) {
      note();
      return;
    }
    const rest = text.slice(source.at, end);
    if (rest.startsWith("//")) {
      const stop = skip(text, source.at);
      comment.push(text.slice(source.at, stop));
      source.at = stop;
      continue;
    }
    if (rest.startsWith("#")) {
      source.at = skip(text, source.at + rest.search(/[^\\]\n|$/)) ;
      continue;
    }
    const label = /^(public|private|protected):/.exec(rest);
    if (label) {
      note();
      visible = label[1] === "public";
      source.at += label[0].length;
      gap = true;
      continue;
    }
    const macro = /^[A-Z][A-Z0-9_]+\(/.exec(rest);
    if (macro) {
      source.at = skip(text, source.at + macro[0].length - 1);
      comment = [];
      gap = true;
      continue;
    }
    const line = source.line();
    const { signature, body } = declaration(source);
    const plain = bare(signature);
    const mine = joined(comment);
    comment = [];
    const behind = /^[ \t]*\/\/ ?(.*)(\n[ \t]{12,}\/\/.*)*/.exec(text.slice(source.at));
    let trailing = "";
    if (behind) {
      source.at += behind[0].length;
      trailing = joined(behind[0].split("\n")).replace(/\n/g, " ");
    }
    if (/^(inline )?namespace/.test(plain)) {
      if (/^namespace (belay|belay::testing|testing|failpoint)$/.test(plain)) {
        const inner = new Source(text, source.file);
        inner.at = body[0];
        members(inner, body[1], "public", null, items);
      }
      gap = true;
      continue;
    }
    if (!visible || /^(friend (class |struct |detail::|promise_type)|static_assert)/.test(plain)) {
      gap = true;
      continue;
    }
    if (!body && /^(class|struct|enum class)\s+\w+$/.test(plain)) {
      // Only declared here: it is described where it is defined, unless this is all there is of it.
      if (mine) items.push({ kind: "entries", comment: mine, signatures: [{ text: signature, line }], owner });
      gap = true;
      continue;
    }
    if (!body && !owner && /::/.test(nameOf(signature))) continue; // a definition of what is declared above
    if (body) {
      const name = nameOf(signature);
      const item = { kind: /^enum/.test(plain) ? "enum" : "class", name, signature, comment: mine, line, items: [], owner };
      items.push(item);
      if (item.kind === "enum") item.values = enumerators(text.slice(...body));
      else {
        const inner = new Source(text, source.file);
        inner.at = body[0];
        members(inner, body[1], /^class/.test(plain) ? "private" : "public", name, item.items);
      }
      gap = true;
      continue;
    }
    const one = { text: shown(signature), line, trailing };
    if (!nameOf(one.text)) source.fail(`cannot find the name in: ${one.text}`);
    const last = items.at(-1);
    if (!mine && !gap && last?.kind === "entries") last.signatures.push(one);
    else items.push({ kind: "entries", comment: mine, signatures: [one], owner });
    gap = false;
  }
}

export function readHeader(text, file) {
  const lines = text.split("\n");
  const first = /^\/\/ (\S+\.hpp) — (.*)$/.exec(lines[0]);
  if (!first) throw new Error(`${file}:1: a header opens by saying what it is: // name.hpp — …`);
  let count = 1;
  while (lines[count]?.startsWith("//")) count += 1;
  const about = joined(lines.slice(1, count));
  const source = new Source(text, file);
  source.at = lines.slice(0, count).join("\n").length;
  const items = [];
  // Around namespaces there are only includes, pragmas and forward declarations.
  members(source, text.length, "public", null, items);
  return { name: first[1], title: first[2], about, items };
}

// Every name that readHeader found, as "Class::member" or "function": what the tests compare.
export function namesOf(items, prefix = "") {
  return items.flatMap((item) => {
    if (item.kind === "entries") return item.signatures.map((one) => prefix + nameOf(one.text));
    if (item.kind === "enum") return [prefix + item.name, ...item.values.map((value) => `${prefix}${item.name}::${value.name}`)];
    if (item.kind === "class") return [prefix + item.name, ...namesOf(item.items, `${prefix}${item.name}::`)];
    return [];
  });
}
