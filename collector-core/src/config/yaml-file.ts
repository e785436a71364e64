import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  visit,
  type Document,
  type Node,
  type Scalar,
  type YAMLMap,
} from "yaml";
import { nearest, suggestion } from "../api-schema/nearest.js";
import { nearestKey } from "./nearest-name.js";
import type { Option } from "./option.js";
import { showRaw } from "./show-value.js";

/** An option in a YAML file. */
export interface YamlEntry {
  readonly value: unknown;
  /** The source text of the value. */
  readonly raw: string;
  /** `path:line`. */
  readonly source: string;
}

/** The options in a YAML file, by key. A null counts as unset and has no entry. */
export interface YamlFile {
  readonly entries: ReadonlyMap<string, YamlEntry>;
  readonly problems: readonly string[];
  readonly warnings: readonly string[];
}

/**
 * Reads a configuration file (spec 2.6). It visits known keys node by node, so that each value has its line number
 * and a key such as `__proto__` is just an unknown key.
 *
 * @param path - the path shown in messages.
 */
export function readYamlFile(path: string, content: string, options: readonly Option[]): YamlFile {
  const lines = new LineCounter();
  const document = parseDocument(content, {
    lineCounter: lines,
    prettyErrors: false,
    logLevel: "error",
    uniqueKeys: false,
  });
  const at = (offset: number) => `${path}:${lines.linePos(offset).line}`;
  const problems = document.errors.map(({ pos, message }) => `${at(pos[0])}: ${withoutContent(message)}`);
  for (const { range, value } of repeatedKeys(document))
    problems.push(`${at(range?.[0] ?? 0)}: ${showRaw(String(value))} is set twice`);
  const warnings = document.warnings.map(({ pos, message }) => `${at(pos[0])}: ${withoutContent(message)}`);
  const entries = new Map<string, YamlEntry>();
  if (problems.length > 0) return { entries, problems, warnings };

  const root = resolved(document.contents, document);
  if (!isMap(root)) {
    if (!isNull(root)) problems.push(`${at(root?.range?.[0] ?? 0)}: the file must be a map of sections`);
    return { entries, problems, warnings };
  }

  const sections = new Set(options.filter((option) => !option.envOnly).map((option) => option.section));
  for (const [section, node, offset] of pairs(root, document)) {
    const source = at(offset);
    if (!sections.has(section)) {
      warnings.push(`unknown key "${section}" (${source})${sectionHint(section, sections, options)}`);
    } else if (isMap(node)) {
      readSection(section, node);
    } else if (!isNull(node)) {
      // The value may be a secret.
      const shown = isSeq(node) ? "a list" : "a single value";
      problems.push(`${section} = ${shown} (${source}): must be a map of keys`);
    }
  }
  return { entries, problems, warnings };

  function readSection(section: string, map: YAMLMap): void {
    for (const [leaf, node, offset] of pairs(map, document)) {
      const source = at(offset);
      const option = options.find((candidate) => candidate.section === section && candidate.leaf === leaf);
      if (option === undefined) {
        const hint = suggestion(nearestKey(section, leaf, options));
        warnings.push(`unknown key "${section}.${leaf}" (${source})${hint}`);
      } else if (option.envOnly) {
        warnings.push(`${option.key} (${source}) is ignored: set ${option.env} instead`);
      } else if (!isNull(node)) {
        const value = plainValue(node, document);
        entries.set(option.key, { value, raw: written(node, content), source });
      }
    }
  }
}

function sectionHint(name: string, sections: ReadonlySet<string>, options: readonly Option[]): string {
  const dotted = options.find((option) => option.key === name && !option.envOnly);
  if (dotted !== undefined) return ` (write "${dotted.leaf}" under "${dotted.section}")`;
  return suggestion(nearest(name, [...sections]) ?? nearestKey("", name, options));
}

/** Yields key, value and key offset of every pair of a map. A key that is not a scalar is shown as YAML. */
function* pairs(map: YAMLMap, document: Document): Generator<[string, Node | null, number]> {
  for (const { key, value } of map.items as { key: Node | null; value: Node | null }[]) {
    const name = isScalar(key) ? String(key.value) : String(key);
    yield [showRaw(name), resolved(value, document), key?.range?.[0] ?? 0];
  }
}

/** The keys that their map has before. The parser compares each key with each other one, which takes quadratic time. */
function repeatedKeys(document: Document): readonly Scalar[] {
  const repeated: Scalar[] = [];
  visit(document, {
    Map(_, { items }) {
      const known = new Set<unknown>();
      for (const { key } of items) {
        if (!isScalar(key)) continue;
        if (known.has(key.value)) repeated.push(key);
        known.add(key.value);
      }
    },
  });
  return repeated;
}

function resolved(node: Node | null, document: Document): Node | null {
  return isAlias(node) ? (node.resolve(document) ?? null) : node;
}

function isNull(node: Node | null): boolean {
  return node === null || (isScalar(node) && node.value === null);
}

/** The value as plain data; undefined, which no kind accepts, if its aliases expand excessively. */
function plainValue(node: Node | null, document: Document): unknown {
  try {
    return node?.toJS(document);
  } catch {
    return undefined;
  }
}

function written(node: Node | null, content: string): string {
  const [start, end] = node?.range ?? [0, 0];
  return content.slice(start, end);
}

/** Removes quotes of the file from a parser message. They may be secrets. */
function withoutContent(message: string): string {
  return message.replace(/(?:(?<=\S): |(?<=escape sequence) ).*$/s, "");
}
