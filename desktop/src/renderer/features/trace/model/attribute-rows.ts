import { inlineJson, isLongText, isRecord, type LongText } from "./values.js";

/** A line of the table of attributes. */
export interface AttributeRow {
  /** As jq writes it: `prompt_messages[0].role`, `["a key"]`. */
  readonly path: string;
  /** The last step of the path, which the line shows. */
  readonly name: string;
  readonly depth: number;
  readonly value: unknown;
  /** Whether lines for what is inside can be opened below. */
  readonly isNested: boolean;
}

const PLAIN_NAME = /^[A-Za-z_][A-Za-z0-9_.]*$/;

/**
 * The attributes as lines. Without a query: the top ones, and what is inside of those that are open. With one: every
 * value whose path or text holds it, wherever it is nested, by its whole path.
 */
export function attributeRows(
  attributes: Readonly<Record<string, unknown>>,
  open: ReadonlySet<string>,
  query: string,
): AttributeRow[] {
  const needle = query.trim().toLowerCase();
  const rows: AttributeRow[] = [];
  const stack = childRows(attributes, "", 0).toReversed();
  for (let row = stack.pop(); row !== undefined; row = stack.pop()) {
    const children = row.isNested && (needle !== "" || open.has(row.path));
    if (needle === "") rows.push(row);
    else if (!row.isNested && matches(row, needle)) rows.push({ ...row, name: row.path, depth: 0 });
    if (children) stack.push(...childRows(row.value, row.path, row.depth + 1).toReversed());
  }
  return rows;
}

function childRows(value: unknown, path: string, depth: number): AttributeRow[] {
  if (Array.isArray(value)) {
    return value.map((item: unknown, index) => newRow(`[${index}]`, `${path}[${index}]`, depth, item));
  }
  if (!isRecord(value)) return [];
  return Object.entries(value).map(([key, item]) => {
    const step = PLAIN_NAME.test(key) ? key : `[${JSON.stringify(key)}]`;
    return newRow(key, path === "" || step.startsWith("[") ? path + step : `${path}.${step}`, depth, item);
  });
}

function newRow(name: string, path: string, depth: number, value: unknown): AttributeRow {
  const isNested =
    !isLongText(value) && typeof value === "object" && value !== null && Object.keys(value).length > 0;
  return { path, name, depth, value, isNested };
}

function matches({ path, value }: AttributeRow, needle: string): boolean {
  return path.toLowerCase().includes(needle) || plainText(value).toLowerCase().includes(needle);
}

/** A value as text, for copying and searching: texts bare, the rest as JSON; of a cut text the preview. */
export function plainText(value: unknown): string {
  return isLongText(value) ? textOrPreview(value) : inlineJson(value);
}

function textOrPreview(text: LongText): string {
  return typeof text === "string" ? text : text.preview;
}
