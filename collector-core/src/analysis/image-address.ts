const IMAGE_TYPE = /^image\/[a-z0-9.+-]+$/;
const BASE64 = /^[A-Za-z0-9+/\s]*(?:=\s*){0,2}$/;

/** Data URL of an image in a message; undefined if it is not a base64 image. */
export function imageAddress(mimeType: string, content: string): string | undefined {
  const type = mimeType.toLowerCase();
  if (!IMAGE_TYPE.test(type) || content === "" || !BASE64.test(content)) return undefined;
  return `data:${type};base64,${content}`;
}
