// schema_form.ts — from a workflow's JSON Schema to a form, and from what was typed to the input.
//
// A draft is what stands in the fields: text, ticks, and drafts of the members of an object. What a form has no field
// for (lists, maps, alternatives) is typed as JSON. A field that is left empty is left out of the input, so that it
// keeps the default that the program gives it.
import { text } from "../../text";

export interface Schema {
  type?: string | string[];
  properties?: Record<string, Schema>;
  enum?: unknown[];
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

export function read(schema: Schema, draft: Draft, at = "$"): Read {
  const problems: Record<string, string> = {};
  const value = valueOf(schema, draft, at, problems);
  return { value, problems };
}

function valueOf(schema: Schema, draft: Draft, at: string, problems: Record<string, string>): unknown {
  const kind = kindOf(schema);
  if (kind === "nothing") return undefined;
  if (typeof draft === "object") return membersOf(schema, draft, at, problems);
  if (typeof draft === "boolean") return draft;
  if (draft.trim() === "") return kind === "text" && typeof schema.default === "string" ? draft : undefined;
  const told = leafOf(kind, schema, draft);
  if (typeof told === "object" && told !== null && "problem" in told && kind !== "json") problems[at] = String(told.problem);
  else if (kind === "json") return jsonOf(draft, at, problems);
  return told;
}

function membersOf(schema: Schema, draft: { [member: string]: Draft }, at: string, problems: Record<string, string>): unknown {
  const object: Record<string, unknown> = {};
  for (const [name, of] of Object.entries(schema.properties ?? {})) {
    const value = valueOf(of, draft[name] ?? "", `${at}.${name}`, problems);
    if (value !== undefined) object[name] = value;
  }
  // An object that may be missing, and of which nothing was said, is missing.
  return isNullable(schema) && Object.values(object).every((one) => one === "" || one === false) ? undefined : object;
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

function jsonOf(draft: string, at: string, problems: Record<string, string>): unknown {
  try {
    return JSON.parse(draft);
  } catch {
    problems[at] = text.defined.problems.json;
    return undefined;
  }
}

// Where the server says that an input is wrong: "the input of SELL: $.pieces: expected …".
export function placeIn(message: string): string | undefined {
  return /(\$[^:\s]*): /.exec(message)?.[1];
}
