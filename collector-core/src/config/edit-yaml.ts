import { isAlias, isMap, parseDocument, type Document } from "yaml";
import type { Option } from "./option.js";

/** A new value of an option in the YAML file; undefined removes the key. */
export interface YamlEdit {
  readonly option: Pick<Option, "section" | "leaf">;
  readonly value: unknown;
}

/**
 * Writes values into the text of a configuration file. Comments, order and other keys stay unchanged.
 *
 * @throws the parser's error if the text is not valid YAML or a section is not a map.
 */
export function editYaml(content: string, edits: readonly YamlEdit[]): string {
  // The edited file is read again, which reports repeated keys.
  const document = parseDocument(content, { uniqueKeys: false });
  const [error] = document.errors;
  if (error !== undefined) throw error;
  for (const { option, value } of edits) {
    const { section, leaf } = option;
    ownSection(document, section);
    const map: unknown = document.get(section, true);
    if (value === undefined) {
      if (!isMap(map)) continue;
      map.delete(leaf);
      if (map.items.length === 0) document.delete(section);
      continue;
    }
    // A section without keys parses as null.
    if (!isMap(map)) document.set(section, document.createNode({}));
    const plain = typeof value === "object" ? document.createNode(value) : value;
    document.setIn([section, leaf], plain);
  }
  // Do not wrap long lines: the author did not.
  return document.contents === null ? content : document.toString({ lineWidth: 0 });
}

/** Replaces a section that is an alias of another map by a copy, so that an edit keeps its keys and leaves the other map. */
function ownSection(document: Document, section: string): void {
  const node: unknown = document.get(section, true);
  const target: unknown = isAlias(node) ? node.resolve(document) : undefined;
  const copy: unknown = isMap(target) ? target.clone() : undefined;
  if (!isMap(copy)) return;
  delete copy.anchor;
  document.set(section, copy);
}
