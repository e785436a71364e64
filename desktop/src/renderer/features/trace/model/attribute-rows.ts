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
/** Characters of a key in a path. Every path below a key holds it: whole, a long one would be copied for each of them. */
const MAX_STEP = 200;

/** A line on its way, with what tells whether its path holds the query. */
interface SearchedRow extends AttributeRow {
  /** Whether the path holds the query. */
  readonly isFound: boolean;
  /** The end of the path in small letters: the query may begin there and go on in the next step. */
  readonly pathEnd: string;
}

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

/** A key as a step of a path. Of a long key the beginning, and which of its object's keys it is. */
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

/** A value as text, for copying and searching: texts bare, the rest as JSON; of a cut text the preview. */
export function plainText(value: unknown): string {
  return isLongText(value) ? textOrPreview(value) : inlineJson(value);
}

function textOrPreview(text: LongText): string {
  return typeof text === "string" ? text : text.preview;
}
