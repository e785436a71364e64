/** True for what `pushUrl` may be. */
export function isPushUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}
