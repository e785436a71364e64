import { isMap, parseDocument } from "yaml";
import type { Option } from "./option.js";

/** A new value of an option in the YAML file; undefined takes it out. */
export interface YamlEdit {
  readonly option: Pick<Option, "section" | "leaf">;
  readonly value: unknown;
}

/**
 * Writes values into the text of a configuration file, and leaves all else as it is: comments, order, other keys.
 *
 * @throws what the parser says, where the text is no YAML or a section is no map.
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
    // A section without keys is a null, which has no room for one.
    if (!isMap(map)) document.set(section, document.createNode({}));
    const plain = typeof value === "object" ? document.createNode(value) : value;
    document.setIn([section, leaf], plain);
  }
  // Lines as they are: a long one was not folded by who wrote it.
  return document.contents === null ? content : document.toString({ lineWidth: 0 });
}
