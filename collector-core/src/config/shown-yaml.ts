import { isMap, isNode, isPair, isScalar, parseDocument, visit, type Document, type Pair } from "yaml";
import { maskUserInfo } from "./mask-credentials.js";
import { OPTION_LIST } from "./options.js";
import { HIDDEN } from "./show-value.js";

/** Whether a key of the file is a secret. */
const IS_SECRET: ReadonlyMap<string, boolean> = new Map(
  OPTION_LIST.filter(({ envOnly }) => envOnly !== true).map(({ key, secret }) => [key, secret === true]),
);
/** Sections without a secret: their comments are shown. A comment elsewhere may be an old secret. */
const OPEN_SECTIONS: ReadonlySet<string> = sectionsWithoutSecrets();
const HIDDEN_COMMENT = ` ${HIDDEN}`;

/**
 * The text of a configuration file for display. Secrets, the values of unknown keys, and comments outside of sections without
 * secrets are replaced by `***`.
 *
 * @returns the empty string for a file that cannot be shown: it is not valid YAML, or a hidden value has an alias.
 */
export function shownYaml(content: string): string {
  const document = parseDocument(content, { uniqueKeys: false });
  if (document.errors.length > 0 || !isMap(document.contents)) return "";
  hideComments(document);
  for (const pair of document.contents.items) hideSection(document, pair);
  try {
    return document.toString({ lineWidth: 0 });
  } catch {
    return "";
  }
}

function hideSection(document: Document, pair: Pair): void {
  const section = nameOf(pair);
  if (!isMap(pair.value)) {
    hideValue(document, pair);
    return;
  }
  for (const entry of pair.value.items) {
    if (IS_SECRET.get(`${section}.${nameOf(entry)}`) ?? true) hideValue(document, entry);
    else maskUrlsIn(entry);
  }
}

function hideValue(document: Document, pair: Pair): void {
  const isEmpty = pair.value === null || (isScalar(pair.value) && pair.value.value === null);
  if (!isEmpty) pair.value = document.createNode(HIDDEN);
}

function maskUrlsIn({ value }: Pair): void {
  if (!isNode(value)) return;
  visit(value, {
    Scalar(_key, node) {
      if (typeof node.value === "string") node.value = maskUserInfo(node.value);
    },
  });
}

function hideComments(document: Document): void {
  if (document.commentBefore) document.commentBefore = HIDDEN_COMMENT;
  if (document.comment) document.comment = HIDDEN_COMMENT;
  visit(document, (key, node, path) => {
    if (!isNode(node)) return;
    const section = path.find(isPair);
    // A comment above a section stands at its key.
    const isInside = section !== undefined && (path.at(-1) !== section || key === "value");
    if (isInside && OPEN_SECTIONS.has(nameOf(section))) return;
    if (node.commentBefore) node.commentBefore = HIDDEN_COMMENT;
    if (node.comment) node.comment = HIDDEN_COMMENT;
  });
}

function nameOf({ key }: Pair): string {
  return isScalar(key) ? String(key.value) : "";
}

function sectionsWithoutSecrets(): Set<string> {
  const sections = new Set(OPTION_LIST.map(({ section }) => section));
  for (const { section, secret } of OPTION_LIST) if (secret === true) sections.delete(section);
  return sections;
}
