/** Reads a stream to its end. */
export async function readAll<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const chunks: T[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return chunks;
}

/** Reads the first chunk of a stream, and stops. */
export async function readFirst<T>(stream: AsyncIterable<T>): Promise<T | undefined> {
  for await (const chunk of stream) return chunk;
  return undefined;
}
