/** Renders the reference page of the HTTP API from the OpenAPI document of a running collector. */

const INTRODUCTION = `# Endpoints

<!-- Generated from the collector's GET /openapi.json by \`npm run docs\`. Do not edit. -->

\`GET /openapi.json\` returns this description as OpenAPI 3.1, generated from the schemas that validate requests. Bodies are JSON
unless said otherwise, times are RFC 3339. [errors.md](errors.md) describes the shape and the codes of errors. In addition to
the listed errors, any route may answer COMMON.

`;

/**
 * @param {Record<string, any>} api - an OpenAPI document.
 * @returns {string} the page docs/reference/endpoints.md.
 */
export function renderEndpoints(api) {
  const operations = Object.entries(api.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([method]) => method !== "head")
      .map(([method, operation]) => ({ method: method.toUpperCase(), path, ...operation })),
  );
  const common = commonCodes(operations);
  const topics = new Set(operations.map(({ tags }) => tags[0]));
  const sections = [...topics].map((topic) => {
    const members = operations.filter(({ tags }) => tags[0] === topic);
    const heading = `## ${topic[0].toUpperCase()}${topic.slice(1)}`;
    return [heading, ...members.map((operation) => renderOperation(operation, common))].join("\n\n");
  });
  const schemas = renderSchemas(api.components?.schemas ?? {});
  return (
    INTRODUCTION.replace("COMMON", [...common].map((code) => `\`${code}\``).join(", ")) +
    [...sections, schemas].join("\n\n").trimEnd() +
    "\n"
  );
}

/** The error codes of every operation. */
function commonCodes(operations) {
  const [first, ...others] = operations.map(
    ({ responses }) => new Set(Object.values(responses).flatMap(codesOf)),
  );
  return new Set([...first].filter((code) => others.every((codes) => codes.has(code))));
}

function renderOperation(
  { method, path, summary, description, parameters = [], requestBody, responses },
  common,
) {
  const parts = [`### ${method} ${path}`, `${summary}.${description === undefined ? "" : ` ${description}`}`];
  if (parameters.length > 0)
    parts.push(table(["parameter", "in", "type", "meaning"], parameters.map(parameterRow)));
  if (requestBody !== undefined) parts.push(renderContent("**Body**", requestBody.content));
  for (const [status, response] of Object.entries(responses)) {
    if (Number(status) >= 400 && codesOf(response).length > 0) continue;
    const { description: said = "" } = response;
    const meaning = said === "Default Response" ? "" : ` ${said}`;
    parts.push(
      response.content === undefined || isEmpty(response.content)
        ? `**${status}**${meaning}`
        : renderContent(`**${status}**${meaning}`, response.content),
    );
  }
  const errors = Object.entries(responses).flatMap(([status, response]) =>
    codesOf(response)
      .filter((code) => !common.has(code))
      .map((code) => `${status} \`${code}\``),
  );
  if (errors.length > 0) parts.push(`Errors: ${errors.join(", ")}`);
  return parts.join("\n\n");
}

function parameterRow({ name, in: place, required, schema, description = "" }) {
  return [`\`${name}\`${required ? " (required)" : ""}`, place, typeOf(schema), description];
}

function renderContent(lead, content) {
  const types = Object.entries(content).map(([type, { schema }]) => {
    const name = type === "application/json" ? "" : `\`${type}\`: `;
    return `${name}${shapeOf(schema)}`;
  });
  const [[, { schema }]] = Object.entries(content);
  const fields = fieldsOf(schema);
  return `${`${lead} ${types.join("; ")}`.trim()}${fields === "" ? "" : `\n\n${fields}`}`;
}

function renderSchemas(schemas) {
  const sections = Object.entries(schemas).map(
    ([name, schema]) => `### ${name}\n\n${fieldsOf(schema) || shapeOf(schema)}`,
  );
  return sections.length === 0 ? "" : ["## Shapes", ...sections].join("\n\n");
}

/** A table of the fields of an object, nested ones included; empty for other schemas. */
function fieldsOf(schema = {}) {
  const rows = [];
  const visit = (of, prefix) => {
    for (const [name, field] of Object.entries(of.properties ?? {})) {
      const isRequired = of.required?.includes(name) ?? false;
      rows.push([
        `\`${prefix}${name}\`${isRequired ? "" : " (optional)"}`,
        typeOf(field),
        field.description ?? "",
      ]);
      visit(field, `${prefix}${name}.`);
      if (field.items !== undefined) visit(field.items, `${prefix}${name}[].`);
    }
  };
  visit(schema, "");
  return rows.length === 0 ? "" : table(["field", "type", "meaning"], rows);
}

function shapeOf(schema = {}) {
  if (schema.properties !== undefined) return "";
  return typeOf(schema);
}

/** A readable type: `string`, `integer 1..1000, default 20`, `array of [Span](#span)`. */
function typeOf(schema = {}) {
  const { $ref, anyOf, const: constant, type, items, minimum, maximum, maxLength } = schema;
  const values = constant === undefined ? schema.enum : [constant];
  if ($ref !== undefined) {
    const name = $ref.split("/").at(-1);
    return `[${name}](#${name.toLowerCase()})`;
  }
  if (anyOf !== undefined) return [...new Set(anyOf.map(typeOf))].join(" or ");
  if (values !== undefined) return values.map((value) => `\`${value}\``).join(" or ");
  const range = rangeOf(minimum, maximum);
  const length = maxLength === undefined ? "" : ` of at most ${maxLength} characters`;
  const base = type === "array" ? `array of ${typeOf(items)}` : (type ?? "any JSON");
  const byDefault = schema.default === undefined ? "" : `, default ${JSON.stringify(schema.default)}`;
  return `${base}${range}${length}${byDefault}`;
}

function rangeOf(minimum, maximum) {
  if (minimum === undefined) return maximum === undefined ? "" : ` ≤ ${maximum}`;
  return maximum === undefined ? ` ≥ ${minimum}` : ` ${minimum}..${maximum}`;
}

/** The error codes of a response; empty for a success. */
function codesOf({ content }) {
  const code = content?.["application/json"]?.schema?.properties?.error?.properties?.code;
  return code === undefined ? [] : (code.anyOf ?? [code]).flatMap((each) => each.enum ?? [each.const]);
}

function isEmpty(content) {
  return Object.values(content).every(({ schema }) => schema?.type === "null");
}

function table(head, rows) {
  const lines = [head, head.map(() => "---"), ...rows].map(
    (cells) => `| ${cells.map((cell) => cell.replaceAll(/\s+/g, " ").replaceAll("|", "\\|")).join(" | ")} |`,
  );
  return lines.join("\n");
}
