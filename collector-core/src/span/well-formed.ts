/** False for a text with a lone surrogate: UTF-8 cannot carry it, so it would arrive as another text. */
export function isWellFormed(text: string): boolean {
  return text.isWellFormed();
}
