/** Whether two messages tell of the same failure: each try has its own numbers, such as times and ids of requests. */
export function isSameFailure(one: string, other: string): boolean {
  return wordsOf(one) === wordsOf(other);
}

function wordsOf(message: string): string {
  // eslint-disable-next-line obspan/no-uncopied-part -- compared at once, and not kept
  return message
    .split(/\W+/)
    .filter((word) => !/\d/.test(word))
    .join(" ");
}
