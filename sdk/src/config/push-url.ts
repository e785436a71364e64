/** True if the text is a valid `pushUrl`. */
export function isPushUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}
