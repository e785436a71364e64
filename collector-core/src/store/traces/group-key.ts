import { invalidQuery, quoteValue } from "../../api-schema/errors.js";
import { GROUP_KEYS, GROUP_LIMITS, type GroupKey } from "../../api-schema/group-keys.js";
import { QUERY_LIMITS } from "../../api-schema/query/parse-query.js";
import { copyText } from "../../span/kept-text.js";
import { fieldsOf } from "./trace-conditions.js";
import type { TraceValues } from "./trace-values.js";

/** A key of groups that is not in the values of a trace: nearly every trace has another. */
export type NameKey = "name" | "session" | "user";

/** What traces are grouped by, by how their values are read. */
export type GroupBy =
  | { readonly kind: "name"; readonly key: NameKey }
  | { readonly kind: "values"; readonly key: Exclude<GroupKey, NameKey> }
  | { readonly kind: "attribute"; readonly path: string };

/** Reads what traces are grouped by. @throws `ApiError` `invalid_query` if there is no such key. */
export function requireGroupBy(text: string): GroupBy {
  if (text.startsWith("@")) return { kind: "attribute", path: requirePath(text) };
  const key = GROUP_KEYS.find((each) => each === text);
  if (key === undefined)
    throw refused(`by must be one of ${GROUP_KEYS.join(", ")} or @attribute, not ${quoteValue(text)}`);
  return key === "name" || key === "session" || key === "user"
    ? { kind: "name", key }
    : { kind: "values", key };
}

function requirePath(text: string): string {
  const { attributeCharacters } = GROUP_LIMITS;
  const length = text.length - 1;
  if (length === 0) throw refused("by must name an attribute after the @");
  if (length > attributeCharacters)
    throw refused(`the attribute in by has at most ${attributeCharacters} characters, not ${length}`);
  const path = copyText(text.slice(1));
  if (path.replace(/[^.]/g, "").length >= QUERY_LIMITS.pathParts)
    throw refused(`the path of an attribute has at most ${QUERY_LIMITS.pathParts} parts`);
  return path;
}

function refused(problem: string): Error {
  return invalidQuery(problem, { field: "by" });
}

/** The values of a trace for a key. */
export function groupValuesOf(values: TraceValues, key: Exclude<GroupKey, NameKey>): readonly string[] {
  if (key === "tenant" || key === "status") return [values[key]];
  const [field] = fieldsOf(key);
  return field === undefined ? [] : values[field];
}
