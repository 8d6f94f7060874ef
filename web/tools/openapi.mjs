// openapi.mjs — the server's description, cut down to what the page's types are made from, and those types. Pure.

// Only what the types are made from, one line an operation, so that a changed route is a changed line.
export function slim(whole) {
  const lines = [];
  for (const [path, methods] of Object.entries(whole.paths).sort()) {
    for (const [method, operation] of Object.entries(methods).sort()) {
      lines.push(`${JSON.stringify(`${method.toUpperCase()} ${path}`)}: ${JSON.stringify(shape(operation))}`);
    }
  }
  return `{\n${lines.join(",\n")}\n}\n`;
}

function shape(operation) {
  const success = Object.entries(operation.responses).find(([status]) => /^[12]/.test(status));
  const content = success?.[1].content ?? {};
  const body = operation.requestBody?.content ?? {};
  return {
    summary: operation.summary,
    path: parameters(operation, "path"),
    query: parameters(operation, "query"),
    body: body["application/json"]?.schema ?? null,
    body_required: operation.requestBody?.required ?? false,
    answer: content["application/json"]?.schema ?? null,
  };
}

function parameters(operation, place) {
  const found = operation.parameters?.filter((one) => one.in === place) ?? [];
  return Object.fromEntries(found.map((one) => [one.name, one.schema]));
}

function type(schema, indent) {
  if (!schema || Object.keys(schema).length === 0) return "unknown";
  if (schema.enum) return schema.enum.map((word) => JSON.stringify(word)).join(" | ");
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return [...new Set(choices.map((one) => type(one, indent)))].join(" | ");
  if (Array.isArray(schema.type)) {
    return schema.type.map((one) => type({ ...schema, type: one }, indent)).join(" | ");
  }
  switch (schema.type) {
    case "string":
      return "string";
    case "integer":
    case "number":
      return "number";
    case "boolean":
      return "boolean";
    case "null":
      return "null";
    case "array": {
      const item = type(schema.items, indent);
      return /[|]/.test(item) && !item.startsWith("{") ? `(${item})[]` : `${item}[]`;
    }
    default:
      return object(schema, indent);
  }
}

function object(schema, indent) {
  if (!schema.properties || Object.keys(schema.properties).length === 0) {
    const values = typeof schema.additionalProperties === "object" ? type(schema.additionalProperties, indent) : "unknown";
    return `Record<string, ${values}>`;
  }
  const inner = `${indent}  `;
  const required = new Set(schema.required ?? []);
  const lines = Object.entries(schema.properties).map(
    ([name, one]) => `${inner}${name}${required.has(name) ? "" : "?"}: ${type(one, inner)};`,
  );
  return `{\n${lines.join("\n")}\n${indent}}`;
}

// The text of src/api/schema.ts. `api`: what slim() wrote, read again.
export function typesOf(api) {
  const operations = Object.entries(api).map(([name, one]) => {
    const given = Object.keys(one.path).map((key) => `${key}: string`);
    const asked = Object.keys(one.query).map((key) => `${key}?: string | number | boolean`);
    const body = one.body ? type(one.body, "    ") : "undefined";
    return (
      `  // ${one.summary}\n  ${JSON.stringify(name)}: {\n` +
      `    path: { ${given.join("; ")} };\n    query: { ${asked.join("; ")} };\n` +
      `    body: ${body}${one.body && !one.body_required ? " | undefined" : ""};\n` +
      `    answer: ${type(one.answer, "    ")};\n  };`
    );
  });
  return `// schema.ts — every operation of the server. Made by tools/client.mjs from openapi.json: change neither by hand.\n\nexport interface Operations {\n${operations.join("\n")}\n}\n`;
}
