/** Under these keys stands what a part of a message is: an image, a sound, a document. */
const MEDIA_TYPE_KEYS = ["mime_type", "media_type", "mimeType", "mediaType"];
/** Under these its bytes. */
const CONTENT_KEYS = ["content", "data"];
const TEXT_MEDIA_TYPE = /^(?:text\/|application\/(?:json|xml|x-www-form-urlencoded))/i;
const BASE64 = /^[A-Za-z0-9+/_-]+={0,2}$/;

/**
 * The key under which an object has bytes in base64: of a `blob` part (contract 1), or of the like of other makers. Cut
 * short or changed by chance they would be worth nothing.
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

/** Bytes of a text have no others in their beginning. */
const SAMPLE_LENGTH = 1024;
/** Shorter ones are looked at as they are too: a key is made of the same characters. */
const MIN_BINARY_LENGTH = 256;
const NOT_TEXT = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffd]/;

/**
 * Redacts what is encoded in base64, where that is a text: it is encoded again. What is short may be a
 * key, and is redacted as it is. Other bytes stay.
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
  // The sample may end within a character.
  const text = bytes.toString().replace(/\ufffd{1,3}$/, "");
  return text.length > 0 && !NOT_TEXT.test(text);
}
