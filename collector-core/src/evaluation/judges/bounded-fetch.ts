/** Thrown for a response of the judge's provider that is larger than any verdict. */
export class AnswerTooLarge extends Error {
  override readonly name = "AnswerTooLarge";

  constructor(maxBytes: number) {
    super(`the answer is larger than ${maxBytes} bytes`);
  }
}

/** A typical response has a few thousand bytes. */
const MAX_ANSWER_BYTES = 1_048_576;

/**
 * Fetch with a limit of {@link MAX_ANSWER_BYTES} for the response. A redirect is an error, because the API key must
 * not be sent to another address.
 */
export const boundedFetch: typeof fetch = async (input, init) => {
  const response = await fetch(input, { ...init, redirect: "manual" });
  if (response.status >= 300 && response.status < 400)
    throw new Error(`the judge's address responded with ${response.status}; redirects are not followed`);
  if (response.body === null) return response;
  let bytes = 0;
  const counted = response.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        bytes += chunk.byteLength;
        if (bytes > MAX_ANSWER_BYTES) controller.error(new AnswerTooLarge(MAX_ANSWER_BYTES));
        else controller.enqueue(chunk);
      },
    }),
  );
  return new Response(counted, response);
};
