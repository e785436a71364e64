import type { ToolDefinition } from "../../wire/index.js";
import { textOf } from "../json-fields.js";

/** A tool that the app offers to the model; none if it has no name. */
export function toolDefinition(
  type: string,
  name: unknown,
  description: unknown,
  parameters: unknown,
): ToolDefinition[] {
  const text = textOf(description);
  if (textOf(name) === undefined) return [];
  return [
    {
      type,
      name: name as string,
      ...(text !== undefined && { description: text }),
      ...(parameters !== undefined && parameters !== null && { parameters }),
    },
  ];
}
