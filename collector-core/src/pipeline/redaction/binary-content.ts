/** Under these keys stands what a part of a message is: an image, a sound, a document. */
const MEDIA_TYPE_KEYS = ["mime_type", "media_type", "mimeType", "mediaType"];
/** Under these its bytes. */
const CONTENT_KEYS = new Set(["content", "data"]);
const TEXT_MEDIA_TYPE = /^(?:text\/|application\/(?:json|xml|x-www-form-urlencoded))/i;
const BASE64 = /^[A-Za-z0-9+/_-]+={0,2}$/;

/**
 * The key under which an object has the bytes of something that is no text, in base64: of a `blob` part (contract 1), or
 * of the like of other makers. Cut short or changed by chance they would be worth nothing.
 */
export function binaryContentKey(object: Readonly<Record<string, unknown>>): string | undefined {
  const mediaType = MEDIA_TYPE_KEYS.map((key) => object[key]).find((value) => typeof value === "string");
  if (mediaType === undefined ? object["type"] !== "blob" : TEXT_MEDIA_TYPE.test(mediaType)) return undefined;
  for (const key of CONTENT_KEYS) {
    const content = object[key];
    if (typeof content === "string" && BASE64.test(content)) return key;
  }
  return undefined;
}
