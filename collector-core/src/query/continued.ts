/** All items of which the first was already read, before the response began: what fails then gets an error response. */
export async function* continued<Item>(
  first: IteratorResult<Item, unknown>,
  rest: AsyncIterator<Item, unknown>,
): AsyncGenerator<Item, void> {
  try {
    for (let next = first; next.done !== true; next = await rest.next()) yield next.value;
  } finally {
    await rest.return?.();
  }
}
