/** Why something failed, in the words of the error. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
