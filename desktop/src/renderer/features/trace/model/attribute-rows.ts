import { inlineJson, isLongText, isRecord, type LongText } from "@obspan/collector-core/analysis";

/** A row of the attribute table. */
export interface AttributeRow {
  /** In jq syntax: `prompt_messages[0].role`, `["a key"]`. */
  readonly path: string;
  /** The last step of the path, shown in the row. */
  readonly name: string;
  readonly depth: number;
  readonly value: unknown;
  /** Whether the row has nested values that can be opened. */
  readonly isNested: boolean;
}

const PLAIN_NAME = /^[A-Za-z_][A-Za-z0-9_.]*$/;
/** Longest key in a path. Every nested path contains it, so a long key would be copied many times. */
const MAX_STEP = 200;

/** A row under construction, with the state of the search in its path. */
interface SearchedRow extends AttributeRow {
  /** Whether the path contains the query. */
  readonly isFound: boolean;
  /** The end of the path in lower case: a match may start there and continue in the next step. */
  readonly pathEnd: string;
}

/**
 * The attributes as rows. Without a query: the top level, and the contents of open rows. With a query: every value
 * whose path or text contains it, at any depth, with its full path.
 */
export function attributeRows(
  attributes: Readonly<Record<string, unknown>>,
  open: ReadonlySet<string>,
  query: string,
): AttributeRow[] {
  const needle = query.trim().toLowerCase();
  const rows: AttributeRow[] = [];
  const root = { path: "", depth: -1, value: attributes, isFound: false, pathEnd: "" };
  const stack = childRows(root, needle).reverse();
  for (let row = stack.pop(); row !== undefined; row = stack.pop()) {
    if (needle === "") rows.push(row);
    else if (!row.isNested && (row.isFound || plainText(row.value).toLowerCase().includes(needle)))
      rows.push({ ...row, name: row.path, depth: 0 });
    if (row.isNested && (needle !== "" || open.has(row.path))) {
      for (const child of childRows(row, needle).reverse()) stack.push(child);
    }
  }
  return rows;
}

type Parent = Pick<SearchedRow, "path" | "depth" | "value" | "isFound" | "pathEnd">;

function childRows(parent: Parent, needle: string): SearchedRow[] {
  const { value, path } = parent;
  if (Array.isArray(value)) {
    return value.map((item: unknown, index) => newRow(parent, needle, `[${index}]`, `[${index}]`, item));
  }
  if (!isRecord(value)) return [];
  return Object.entries(value).map(([key, item], index) => {
    const step = stepOf(key, index);
    return newRow(parent, needle, key, path === "" || step.startsWith("[") ? step : `.${step}`, item);
  });
}

/** A key as a step of a path. A long key is shortened and numbered. */
function stepOf(key: string, index: number): string {
  if (key.length > MAX_STEP) return `[${JSON.stringify(`${key.slice(0, MAX_STEP)}…`)}#${index}]`;
  return PLAIN_NAME.test(key) ? key : `[${JSON.stringify(key)}]`;
}

function newRow(parent: Parent, needle: string, name: string, step: string, value: unknown): SearchedRow {
  const isNested =
    !isLongText(value) && typeof value === "object" && value !== null && Object.keys(value).length > 0;
  const path = parent.path + step;
  const depth = parent.depth + 1;
  if (needle === "") return { path, name, depth, value, isNested, isFound: false, pathEnd: "" };
  const searched = parent.pathEnd + step.toLowerCase();
  const isFound = parent.isFound || searched.includes(needle) || isLongKeyFound(name, needle);
  return { path, name, depth, value, isNested, isFound, pathEnd: searched.slice(-needle.length) };
}

function isLongKeyFound(key: string, needle: string): boolean {
  return key.length > MAX_STEP && key.toLowerCase().includes(needle);
}

/**
 * A value as text for copying and searching: texts as they are, other values as JSON, truncated texts as their preview.
 */
export function plainText(value: unknown): string {
  return isLongText(value) ? textOrPreview(value) : inlineJson(value);
}

function textOrPreview(text: LongText): string {
  return typeof text === "string" ? text : text.preview;
}
