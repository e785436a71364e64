import type { ContextPartKind } from "../../api-schema/context.js";
import type { SpanPart } from "../message.js";
import { readPart } from "../read-part.js";
import { isLongText, isRecord, isTruncated, truncatedBytes, type LongText } from "../values.js";
import { newPiece, type ContextPiece } from "./context-piece.js";
import { estimateInSteps, estimateTokens, sizeOf } from "./estimate-tokens.js";
import { fileTokens, imageSize, imageTokens } from "./image-tokens.js";
import { jsonText } from "./json-text.js";
import type { Steps } from "../in-steps.js";

/** The definition of a tool. */
export function* toolPiece(tool: unknown): Steps<ContextPiece> {
  const fields = isRecord(tool) ? tool : {};
  const inner = isRecord(fields["function"]) ? fields["function"] : fields;
  const name = inner["name"];
  const piece = yield* dataPiece("tools", -1, tool);
  return { ...piece, label: typeof name === "string" ? name : undefined };
}

/** The pieces of a part that is not a plain text. */
export function* otherPieces(
  part: SpanPart,
  kind: ContextPartKind,
  message: number,
): Steps<readonly ContextPiece[]> {
  switch (part.kind) {
    case "text":
      return [yield* textPiece(kind, message, part.text)];
    case "reasoning":
      return [yield* textPiece("assistant", message, part.text)];
    case "call": {
      const values = yield* dataPiece("assistant", message, part.arguments ?? {});
      const tokens = values.tokens + estimateTokens(part.name);
      const text = `${part.name} ${values.text}`;
      return [{ ...values, label: part.name, text, tokens, callId: idOf(part) }];
    }
    case "result": {
      const pieces = yield* resultPieces(part.response, message);
      return pieces.map((piece) => ({ ...piece, callId: idOf(part) }));
    }
    case "image":
      return [imagePiece(part.content, message)];
    case "link":
      if (part.label.includes("image"))
        return [newPiece("images", message, part.uri, imageTokens(undefined))];
      return [yield* textPiece(kind, message, part.uri)];
    case "json":
      return [yield* jsonPiece(part.value, kind, message)];
  }
}

function idOf({ id }: { readonly id: string }): string | undefined {
  return id === "" ? undefined : id;
}

/** Longer lists are data. */
const MAX_PARTS = 250;

/** A result may be a list of texts and images. */
function* resultPieces(response: unknown, message: number): Steps<readonly ContextPiece[]> {
  const values: readonly unknown[] = Array.isArray(response) && response.length <= MAX_PARTS ? response : [];
  const parts = values.map(readPart);
  if (!parts.some(({ kind }) => kind === "image")) return [yield* dataPiece("results", message, response)];
  const pieces: ContextPiece[] = [];
  for (const [index, part] of parts.entries())
    pieces.push(
      part.kind === "image"
        ? imagePiece(part.content, message)
        : yield* dataPiece("results", message, values[index]),
    );
  return pieces;
}

function imagePiece(content: LongText, message: number): ContextPiece {
  const size = imageSize(content);
  const label = size === undefined ? undefined : `${size.width} × ${size.height}`;
  return { ...newPiece("images", message, contentText(content), imageTokens(size)), label };
}

/** A document that is sent as a part, a file, or what is not understood. */
function* jsonPiece(value: unknown, kind: ContextPartKind, message: number): Steps<ContextPiece> {
  if (!isRecord(value)) return yield* dataPiece(kind, message, value);
  const source = isRecord(value["source"]) ? value["source"] : value;
  const file = [source["data"], source["file_data"], source["content"]].find(isFile);
  if (file !== undefined) return newPiece("images", message, contentText(file), fileTokens(sizeOf(file)));
  const isDocument = value["type"] === "document" || value["type"] === "search_result";
  const title = value["title"];
  const piece = yield* dataPiece(isDocument ? "retrieved" : kind, message, value);
  return { ...piece, label: isDocument && typeof title === "string" ? title : undefined };
}

const BASE64 = /^[A-Za-z0-9+/=\s]+$/;
const FILE_URL = /^data:[^,;]{1,100};base64,/;
const MIN_FILE = 1000;

function isFile(value: unknown): value is LongText {
  if (!isLongText(value) || sizeOf(value) < MIN_FILE) return false;
  const head = (isTruncated(value) ? value.preview : value).slice(0, MIN_FILE);
  return FILE_URL.test(head) || (BASE64.test(head) && !head.includes(" "));
}

function contentText(content: LongText): string {
  return isTruncated(content) ? `${content.bytes} ${content.preview}` : content;
}

/** Bytes of a token in a text of which only the beginning is there. */
const BYTES_PER_TOKEN = 4;

function* dataPiece(kind: ContextPartKind, message: number, value: unknown): Steps<ContextPiece> {
  if (isLongText(value)) return yield* textPiece(kind, message, value);
  if (value === undefined || value === null) return newPiece(kind, message, "", 0);
  const text = yield* jsonText(value);
  const tokens = yield* estimateInSteps(text);
  return newPiece(kind, message, text, tokens + truncatedBytes(value) / BYTES_PER_TOKEN);
}

function* textPiece(kind: ContextPartKind, message: number, text: LongText): Steps<ContextPiece> {
  if (isTruncated(text)) return newPiece(kind, message, text.preview, estimateTokens(text));
  return newPiece(kind, message, text, yield* estimateInSteps(text));
}
