import { isTruncated, type LongText } from "../values.js";

/** Width and height of an image, in pixels. */
export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

/** Pixels of a token, and the most tokens of an image: providers make larger images smaller. */
const PIXELS_PER_TOKEN = 750;
const MAX_TOKENS = 1600;
/** An image of unknown size counts as a square of 1,024 pixels. */
const UNKNOWN_TOKENS = Math.round(1024 ** 2 / PIXELS_PER_TOKEN);
/** A file of another kind counts as much as the largest image for each of these bytes. */
const FILE_BYTES = 100_000;

/** The tokens of an image. */
export function imageTokens(size: ImageSize | undefined): number {
  if (size === undefined) return UNKNOWN_TOKENS;
  return Math.max(1, Math.min(MAX_TOKENS, Math.round((size.width * size.height) / PIXELS_PER_TOKEN)));
}

/** The tokens of a file that is sent as base64. */
export function fileTokens(base64Length: number): number {
  return Math.ceil((base64Length * 0.75) / FILE_BYTES) * MAX_TOKENS;
}

/** Base64 characters of an image that are searched for its size. */
const HEAD_LENGTH = 64 * 1024;

/** Reads the size from the head of a PNG, GIF, JPEG or WebP image in base64; undefined for other images. */
export function imageSize(content: LongText): ImageSize | undefined {
  const bytes = decode(isTruncated(content) ? content.preview : content.slice(0, HEAD_LENGTH));
  if (bytes === undefined || bytes.byteLength < 30) return undefined;
  const size = sizeIn(new DataView(bytes.buffer));
  return size !== undefined && size.width > 0 && size.height > 0 ? size : undefined;
}

function sizeIn(view: DataView): ImageSize | undefined {
  switch (view.getUint32(0)) {
    case 0x89504e47:
      return { width: view.getUint32(16), height: view.getUint32(20) };
    case 0x47494638:
      return { width: view.getUint16(6, true), height: view.getUint16(8, true) };
    case 0x52494646:
      return webpSize(view);
    default:
      return view.getUint16(0) === 0xffd8 ? jpegSize(view) : undefined;
  }
}

function webpSize(view: DataView): ImageSize | undefined {
  switch (view.getUint32(12)) {
    // VP8X, VP8L and VP8.
    case 0x56503858:
      return { width: 1 + uint24(view, 24), height: 1 + uint24(view, 27) };
    case 0x5650384c: {
      const bits = view.getUint32(21, true);
      return { width: 1 + (bits & 0x3fff), height: 1 + ((bits >>> 14) & 0x3fff) };
    }
    case 0x56503820:
      return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
    default:
      return undefined;
  }
}

function uint24(view: DataView, at: number): number {
  return view.getUint16(at, true) | (view.getUint8(at + 2) << 16);
}

/** Walks the segments to the frame header. */
function jpegSize(view: DataView): ImageSize | undefined {
  for (let at = 2; at + 9 < view.byteLength && view.getUint8(at) === 0xff; at += 2 + view.getUint16(at + 2)) {
    const marker = view.getUint8(at + 1);
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return { width: view.getUint16(at + 7), height: view.getUint16(at + 5) };
  }
  return undefined;
}

function decode(base64: string): Uint8Array<ArrayBuffer> | undefined {
  const text = base64.replaceAll(/\s/g, "");
  try {
    const binary = atob(text.slice(0, text.length - (text.length % 4)));
    return Uint8Array.from(binary, (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}
