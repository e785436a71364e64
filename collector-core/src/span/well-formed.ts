const LONE_SURROGATE = /\p{Surrogate}/u;

/** False where a surrogate stands without its other half: UTF-8 cannot carry it, and it would arrive as another text. */
export function isWellFormed(text: string): boolean {
  return !LONE_SURROGATE.test(text);
}
