import { isMap, parseDocument } from "yaml";
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
  const document = parseDocument(content);
  const [error] = document.errors;
  if (error !== undefined) throw error;
  for (const { option, value } of edits) {
    const { section, leaf } = option;
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
