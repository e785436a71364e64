/** False for a string with a lone surrogate, which UTF-8 cannot encode. */
export function isWellFormed(text: string): boolean {
  return text.isWellFormed();
}
