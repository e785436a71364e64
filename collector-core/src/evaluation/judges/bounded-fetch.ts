import { JsonScanner } from "../../span/json-bounds.js";

/** Thrown for a response of the judge's provider that is larger than any verdict. */
export class AnswerTooLarge extends Error {
  override readonly name = "AnswerTooLarge";
}

/** A typical response has a few thousand bytes. */
const MAX_ANSWER_BYTES = 1_048_576;
/**
 * Parts of a response as JSON; a typical one has a hundred. The client of the provider validates each of them: a megabyte of
 * empty choices would block the event loop for seconds, and take a gigabyte of memory for the list of what they lack.
 */
const MAX_PARTS = { maxDepth: 64, maxContainers: 2000, maxValues: 20_000 };

/**
 * Fetch with limits for the response: {@link MAX_ANSWER_BYTES}, and {@link MAX_PARTS}. A redirect is an error, because the API key
 * must not be sent to another address.
 */
export const boundedFetch: typeof fetch = async (input, init) => {
  const response = await fetch(input, { ...init, redirect: "manual" });
  if (response.status >= 300 && response.status < 400)
    throw new Error(`the judge's address responded with ${response.status}; redirects are not followed`);
  if (response.body === null) return response;
  const body = await readBounded(response.body);
  if (new JsonScanner().exceededBound(body, MAX_PARTS) !== undefined)
    throw new AnswerTooLarge(`the answer has more than ${MAX_PARTS.maxContainers} objects and lists`);
  return new Response(body, response);
};

async function readBounded(body: AsyncIterable<Uint8Array>): Promise<Buffer<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.byteLength;
    if (bytes > MAX_ANSWER_BYTES)
      throw new AnswerTooLarge(`the answer is larger than ${MAX_ANSWER_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
