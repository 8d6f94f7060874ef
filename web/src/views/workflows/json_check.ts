// json_check.ts — what is wrong with a value that was typed as JSON, by the schema of the type that it is to become.
//
// As far as a browser can say; the server's codec has the last word. Schemas are those of belay/schema.hpp.
import { text } from "../../text";
import type { Schema } from "./schema_form";

export interface Fault {
  at: string; // "$.lines[1].pieces"
  why: string;
}

// `root` has what "$ref" refers to.
export function faultOf(root: Schema, schema: Schema, value: unknown, at: string): Fault | undefined {
  const words = text.defined.problems;
  if (schema.$ref) return faultOf(root, root.$defs?.[schema.$ref.slice("#/$defs/".length)] ?? {}, value, at);
  const several = schema.oneOf ?? schema.anyOf;
  if (several) {
    const meant = several.filter((one) => mayBeMeant(one, value));
    return meant.length === 1 ? faultOf(root, meant[0]!, value, at) : undefined;
  }
  const types = Array.isArray(schema.type) ? schema.type : schema.type ? [schema.type] : [];
  if (types.length > 0 && !types.some((type) => isOf(type, value))) return { at, why: words.kinds[types[0] as keyof typeof words.kinds] ?? words.json };
  if (schema.enum && value !== null && !schema.enum.includes(value)) return { at, why: words.choice(schema.enum.map(String)) };
  if (typeof value === "number") {
    if (types.includes("integer") && !Number.isSafeInteger(value)) return { at, why: words.tooLong };
    if (schema.minimum !== undefined && value < schema.minimum) return { at, why: words.least(schema.minimum) };
    if (schema.maximum !== undefined && value > schema.maximum) return { at, why: words.most(schema.maximum) };
  }
  if (Array.isArray(value)) return firstOf(value.map((one, i) => [schema.prefixItems?.[i] ?? schema.items, one, `${at}[${i}]`]), root);
  if (typeof value !== "object" || value === null) return undefined;
  const { properties, additionalProperties: others } = schema;
  for (const name of Object.keys(value)) {
    if (others === false && !(name in (properties ?? {}))) return { at: `${at}.${name}`, why: words.noMember(Object.keys(properties ?? {})) };
  }
  return firstOf(
    Object.entries(value).map(([name, one]) => [properties?.[name] ?? (typeof others === "object" ? others : undefined), one, `${at}.${name}`]),
    root,
  );
}

function firstOf(parts: [Schema | undefined, unknown, string][], root: Schema): Fault | undefined {
  for (const [schema, value, at] of parts) {
    const fault = schema && faultOf(root, schema, value, at);
    if (fault) return fault;
  }
  return undefined;
}

function isOf(type: string, value: unknown): boolean {
  switch (type) {
    case "object":
      return typeof value === "object" && value !== null && !Array.isArray(value);
    case "array":
      return Array.isArray(value);
    case "integer":
      return Number.isInteger(value);
    case "null":
      return value === null;
    default:
      return typeof value === type;
  }
}

// An alternative is not meant by a value of another kind, nor by one whose own words say so: {"type": 1, …}.
function mayBeMeant(schema: Schema, value: unknown): boolean {
  if (typeof schema.type === "string" && !isOf(schema.type, value)) return false;
  if (typeof value !== "object" || value === null) return true;
  const given = value as Record<string, unknown>;
  return Object.entries(schema.properties ?? {}).every(([name, of]) => of.const === undefined || !(name in given) || given[name] === of.const);
}
