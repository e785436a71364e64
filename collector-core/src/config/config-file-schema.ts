import type { JsonSchema } from "./option-kinds.js";
import { OPTION_LIST } from "./options.js";

/**
 * The JSON Schema of the YAML file, for editors. It rejects unknown keys, where the collector only warns. It does not
 * check the order of a list or the rules across keys.
 */
export function configFileSchema(): JsonSchema {
  const sections: Record<string, Record<string, JsonSchema>> = {};
  for (const option of OPTION_LIST) {
    if (option.envOnly) continue;
    const description = option.doc;
    // A key without a value counts as not set.
    const schema = { anyOf: [option.kind.schema, { type: "null" }], description, default: option.default };
    (sections[option.section] ??= {})[option.leaf] = schema;
  }
  const properties = Object.entries(sections).map(([section, keys]) => [
    section,
    { type: ["object", "null"], additionalProperties: false, properties: keys },
  ]);
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "Configuration of the Obspan collector",
    type: ["object", "null"],
    additionalProperties: false,
    properties: Object.fromEntries(properties),
  };
}
