import type { NormalizedSpan } from "../../api-schema/trace.js";
import { attributeOf } from "../attributes.js";
import { canonicalJson } from "../canonical-json.js";
import { isRecord, parseJsonText } from "../values.js";

/** A tool that a model could call. */
export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  /** The schema of its arguments; undefined if it was not recorded. */
  readonly parameters: unknown;
  /** Equal for equal definitions. */
  readonly key: string;
}

/** The tools that a model call offers, as its span or one of its wrappers says. */
export function toolDefinitionsOf(sources: readonly NormalizedSpan[]): ToolDefinition[] {
  for (const span of sources) {
    const value = attributeOf(span, "tool_definitions");
    const list = typeof value === "string" ? parseJsonText(value) : value;
    if (Array.isArray(list) && list.length > 0) return (list as unknown[]).map(definitionOf);
  }
  return [];
}

function definitionOf(value: unknown): ToolDefinition {
  const held = typeof value === "string" ? (parseJsonText(value) ?? value) : value;
  const outer = isRecord(held) ? held : {};
  const fields = isRecord(outer["function"]) ? outer["function"] : outer;
  const { name, description } = fields;
  return {
    name: typeof name === "string" ? name : "tool",
    description: typeof description === "string" ? description : "",
    parameters: fields["parameters"] ?? fields["input_schema"] ?? fields["inputSchema"],
    key: canonicalJson(held),
  };
}
