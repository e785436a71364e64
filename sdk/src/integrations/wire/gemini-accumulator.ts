import { copyFields, elementsOf, field, fieldsOf, indexOf } from "../json-fields.js";
import {
  appendLimited,
  keepFields,
  keepLimited,
  keepText,
  newTextRoom,
  type TextRoom,
} from "../model-client/append-limited.js";
import { IndexedParts, MAX_PARTS } from "../model-client/indexed-parts.js";
import type { StreamAccumulator } from "../model-client/operation.js";

/** A candidate that arrives in pieces. */
interface Candidate {
  role: string | undefined;
  readonly parts: unknown[];
  finishReason: unknown;
}

/** Accumulates the chunks of `streamGenerateContent` into the response of `generateContent`. */
export function createGeminiAccumulator(): StreamAccumulator {
  const response: Record<string, unknown> = {};
  const candidates = new IndexedParts<Candidate>(() => ({
    role: undefined,
    parts: [],
    finishReason: undefined,
  }));
  const room = newTextRoom();

  return {
    add(chunk) {
      for (const key of ["modelVersion", "responseId", "promptFeedback", "error"]) {
        const value = field(chunk, key);
        if (value !== undefined && value !== null) response[key] = value;
      }
      // Vertex AI sends the counts with the last chunk, other fields with each of them.
      const usage = field(chunk, "usageMetadata");
      if (fieldsOf(usage) !== undefined)
        response["usageMetadata"] = { ...copyFields(response["usageMetadata"]), ...keepFields(usage, room) };
      let isGenerated = false;
      for (const [position, piece] of elementsOf(field(chunk, "candidates")).entries()) {
        const candidate = candidates.at(indexOf(field(piece, "index"), position));
        const content = field(piece, "content");
        candidate.role ??= keepText(field(content, "role"), room);
        candidate.finishReason = keepLimited(field(piece, "finishReason"), room) ?? candidate.finishReason;
        for (const part of elementsOf(field(content, "parts"))) {
          if (addPart(candidate.parts, part, room)) isGenerated = true;
        }
      }
      return isGenerated;
    },
    response: () => ({
      ...response,
      candidates: candidates.inOrder().map(({ role, parts, finishReason }, index) => ({
        index,
        content: { role, parts },
        finishReason,
      })),
    }),
    isComplete: () =>
      candidates.size > 0 && candidates.inOrder().every(({ finishReason }) => finishReason !== undefined),
  };
}

/** Joins consecutive texts of the same kind. Returns true if the part has generated content. */
function addPart(parts: unknown[], part: unknown, room: TextRoom): boolean {
  const text = field(part, "text");
  if (typeof text !== "string") {
    if (fieldsOf(part) === undefined) return false;
    const kept = parts.length < MAX_PARTS ? keepLimited(part, room) : undefined;
    if (kept !== undefined) parts.push(kept);
    return true;
  }
  if (text === "") return false;
  const isThought = field(part, "thought") === true;
  const last = parts.at(-1);
  const lastText = field(last, "text");
  if (typeof lastText === "string" && (field(last, "thought") === true) === isThought)
    parts[parts.length - 1] = { ...copyFields(last), text: appendLimited(lastText, text, room) };
  else if (parts.length < MAX_PARTS)
    parts.push({ text: appendLimited("", text, room), ...(isThought && { thought: true }) });
  return true;
}
