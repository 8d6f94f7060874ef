// schema_form.ts — from a workflow's JSON Schema to a form, and from what was typed to the input.
//
// A draft is what stands in the fields: text, ticks, and drafts of the members of an object. What a form has no field
// for (lists, maps, alternatives) is typed as JSON. A field that is left empty is left out of the input, so that it
// keeps the default that the program gives it.
import { text } from "../../text";
import { faultOf } from "./json_check";

export interface Schema {
  type?: string | string[];
  properties?: Record<string, Schema>;
  additionalProperties?: boolean | Schema;
  items?: Schema;
  prefixItems?: Schema[];
  oneOf?: Schema[];
  anyOf?: Schema[];
  enum?: unknown[];
  const?: unknown;
  $ref?: string;
  $defs?: Record<string, Schema>;
  default?: unknown;
  description?: string;
  minimum?: number;
  maximum?: number;
}

export type Draft = string | boolean | { [member: string]: Draft };
export type FieldKind = "object" | "tick" | "choice" | "whole" | "number" | "text" | "json" | "nothing";

export function kindOf(schema: Schema): FieldKind {
  const types = typesOf(schema).filter((one) => one !== "null");
  if (typesOf(schema).length > 0 && types.length === 0) return "nothing";
  if (schema.enum) return "choice";
  if (types.length !== 1) return "json";
  switch (types[0]) {
    case "object":
      return schema.properties ? "object" : "json";
    case "boolean":
      return isNullable(schema) ? "json" : "tick";
    case "integer":
      return "whole";
    case "number":
      return "number";
    case "string":
      return "text";
    default:
      return "json";
  }
}

const typesOf = (schema: Schema): string[] => (Array.isArray(schema.type) ? schema.type : schema.type ? [schema.type] : []);
export const isNullable = (schema: Schema): boolean => typesOf(schema).includes("null");
export const choicesOf = (schema: Schema): string[] => (schema.enum ?? []).filter((one) => one !== null).map(String);

export function draftOf(schema: Schema): Draft {
  switch (kindOf(schema)) {
    case "object":
      return Object.fromEntries(Object.entries(schema.properties ?? {}).map(([name, of]) => [name, draftOf(of)]));
    case "tick":
      return schema.default === true;
    case "json":
      return schema.default === undefined ? "" : JSON.stringify(schema.default);
    default:
      return schema.default === undefined || schema.default === null ? "" : String(schema.default);
  }
}

export interface Read {
  value: unknown; // undefined: left out
  problems: Record<string, string>; // by the address of the field: "$.to.street"
}

// `root`: the whole schema, if this is a part of it.
export function read(schema: Schema, draft: Draft, root = schema): Read {
  const problems: Record<string, string> = {};
  const value = valueOf(schema, draft, "$", { root, problems });
  return { value, problems };
}

interface Reading {
  root: Schema;
  problems: Record<string, string>;
}

function valueOf(schema: Schema, draft: Draft, at: string, reading: Reading): unknown {
  const kind = kindOf(schema);
  if (kind === "nothing") return undefined;
  // An object that may be missing, and of which nothing was said, is missing: its members' defaults are no word of anybody's.
  if (isNullable(schema) && isSame(draft, draftOf(schema))) return undefined;
  if (typeof draft === "object") return membersOf(schema, draft, at, reading);
  if (typeof draft === "boolean") return draft;
  if (draft.trim() === "") return kind === "text" && typeof schema.default === "string" ? draft : undefined;
  const told = leafOf(kind, schema, draft);
  if (typeof told === "object" && told !== null && "problem" in told && kind !== "json") reading.problems[at] = String(told.problem);
  else if (kind === "json") return jsonOf(schema, draft, at, reading);
  return told;
}

const isSame = (a: Draft, b: Draft): boolean => typeof a === "object" && JSON.stringify(a) === JSON.stringify(b);

function membersOf(schema: Schema, draft: { [member: string]: Draft }, at: string, reading: Reading): unknown {
  const object: Record<string, unknown> = {};
  for (const [name, of] of Object.entries(schema.properties ?? {})) {
    const value = valueOf(of, draft[name] ?? "", `${at}.${name}`, reading);
    if (value !== undefined) object[name] = value;
  }
  return object;
}

function leafOf(kind: FieldKind, schema: Schema, draft: string): unknown {
  if (kind !== "whole" && kind !== "number") return draft;
  const words = text.defined.problems;
  const number = Number(draft);
  if (!Number.isFinite(number)) return { problem: kind === "whole" ? words.whole : words.number };
  if (kind === "whole" && !Number.isInteger(number)) return { problem: words.whole };
  if (kind === "whole" && !Number.isSafeInteger(number)) return { problem: words.tooLong };
  if (schema.minimum !== undefined && number < schema.minimum) return { problem: words.least(schema.minimum) };
  if (schema.maximum !== undefined && number > schema.maximum) return { problem: words.most(schema.maximum) };
  return number;
}

function jsonOf(schema: Schema, draft: string, at: string, { root, problems }: Reading): unknown {
  try {
    const value: unknown = JSON.parse(draft);
    const fault = faultOf(root, schema, value, at);
    if (fault) problems[fault.at] = fault.at === at ? fault.why : `${fault.at.slice(2)}: ${fault.why}`;
    return value;
  } catch {
    problems[at] = text.defined.problems.json;
    return undefined;
  }
}

// What is wrong with a field, or with something inside it that has no field of its own.
export function problemAt(problems: Record<string, string>, at: string): string | undefined {
  const inside = (place: string) => place.startsWith(at) && /^[.[]/.test(place.slice(at.length));
  return problems[at] ?? Object.entries(problems).find(([place]) => inside(place))?.[1];
}

// Where the server says that an input is wrong: "the input of SELL: $.pieces: expected …".
export function placeIn(message: string): string | undefined {
  return /(\$[^:\s]*): /.exec(message)?.[1];
}
