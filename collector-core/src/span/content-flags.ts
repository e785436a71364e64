import type { Span } from "@obspan/sdk/wire";

/** What the content of a span is asked for (contract 9, "Asking"). */
export const CONTENT = {
  /** A message has an image. */
  image: 1,
  /** A tool ended well and returned nothing. */
  emptyToolOutput: 2,
} as const;

/** Texts of tools that mean nothing. */
const EMPTY_OUTPUTS: ReadonlySet<string> = new Set(["", "null", "[]", "{}", '""', "None", "undefined"]);
/** A longer text is not empty, unless it has only spaces. */
const MAX_EMPTY_LENGTH = 64;
const IMAGE_PARTS: ReadonlySet<unknown> = new Set(["image", "image_url", "input_image"]);

/** Reads the {@link CONTENT} of a span. */
export function contentFlagsOf({ span_type: type, status, attributes }: Span): number {
  const values = attributes as Readonly<Record<string, unknown>> | null | undefined;
  if (typeof values !== "object" || values === null) {
    return type === "tool" && hasEndedWell(status) ? CONTENT.emptyToolOutput : 0;
  }
  let flags = 0;
  if (hasImage(values["prompt_messages"]) || hasImage(values["completion_messages"])) flags |= CONTENT.image;
  if (type === "tool" && hasEndedWell(status) && isEmpty(values["output_text"] ?? values["completion_text"]))
    flags |= CONTENT.emptyToolOutput;
  return flags;
}

function hasEndedWell(status: unknown): boolean {
  return status !== "ERROR" && status !== "RUNNING";
}

function isEmpty(output: unknown): boolean {
  if (output == null) return true;
  if (typeof output !== "string") return false;
  if (output.length > MAX_EMPTY_LENGTH) return !/\S/.test(output);
  return EMPTY_OUTPUTS.has(output.trim());
}

function hasImage(messages: unknown): boolean {
  if (!Array.isArray(messages)) return false;
  for (const message of messages as unknown[]) {
    const parts = (message as { parts?: unknown } | null)?.parts;
    if (Array.isArray(parts) && (parts as unknown[]).some(isImage)) return true;
  }
  return false;
}

function isImage(part: unknown): boolean {
  if (typeof part !== "object" || part === null) return false;
  const { type, modality, mime_type: mimeType } = part as Readonly<Record<string, unknown>>;
  if (IMAGE_PARTS.has(type) || modality === "image") return true;
  return typeof mimeType === "string" && mimeType.startsWith("image/");
}
