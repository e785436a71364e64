/** Keys of the media type of a message part. */
const MEDIA_TYPE_KEYS = ["mime_type", "media_type", "mimeType", "mediaType"];
/** Keys of the content of a message part. */
const CONTENT_KEYS = ["content", "data"];
const TEXT_MEDIA_TYPE = /^(?:text\/|application\/(?:json|xml|x-www-form-urlencoded))/i;
const BASE64 = /^[A-Za-z0-9+/_-]+={0,2}$/;

/**
 * Returns the key of base64 content in an object: a `blob` part (contract 1) or the equivalent of another provider.
 * Truncation or a replacement within the content would make it useless.
 */
export function binaryContentKey(object: Readonly<Record<string, unknown>>): string | undefined {
  let mediaType: unknown;
  for (const key of MEDIA_TYPE_KEYS) {
    mediaType = object[key];
    if (typeof mediaType === "string") break;
  }
  const isBlob = object["type"] === "blob";
  if (typeof mediaType !== "string" ? !isBlob : !isBlob && TEXT_MEDIA_TYPE.test(mediaType)) return undefined;
  for (const key of CONTENT_KEYS) {
    const content = object[key];
    if (typeof content === "string" && BASE64.test(content)) return key;
  }
  return undefined;
}

/** Number of base64 characters that decide whether the content is text. */
const SAMPLE_LENGTH = 1024;
/** Shorter binary content is also redacted without decoding, because a key consists of the same characters. */
const MIN_BINARY_LENGTH = 256;
const NOT_TEXT = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffd]/;

/**
 * Redacts base64 content. Decodes, redacts and encodes text. Redacts short content that is not text without decoding,
 * because it may be a key. Returns other content unchanged.
 */
export function redactEncodedText(content: string, redact: (text: string) => string): string {
  if (isText(content.slice(0, SAMPLE_LENGTH))) {
    const text = Buffer.from(content, "base64").toString();
    const redacted = redact(text);
    return redacted === text ? content : Buffer.from(redacted).toString("base64");
  }
  return content.length < MIN_BINARY_LENGTH ? redact(content) : content;
}

function isText(sample: string): boolean {
  const bytes = Buffer.from(sample, "base64");
  // The sample can end within a character.
  const text = bytes.toString().replace(/\ufffd{1,3}$/, "");
  return text.length > 0 && !NOT_TEXT.test(text);
}
