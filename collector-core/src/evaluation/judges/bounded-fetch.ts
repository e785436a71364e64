/** An answer of the judge's provider that is larger than any verdict can be. */
export class AnswerTooLarge extends Error {
  override readonly name = "AnswerTooLarge";

  constructor(maxBytes: number) {
    super(`the answer is larger than ${maxBytes} bytes`);
  }
}

/** A verdict is some hundred bytes, what a provider wraps around it a few thousand. */
const MAX_ANSWER_BYTES = 1_048_576;

/**
 * Node's fetch for the judge: an answer is read no further than {@link MAX_ANSWER_BYTES}, and a redirect is an error, for
 * the key would travel with it.
 */
export const boundedFetch: typeof fetch = async (input, init) => {
  const response = await fetch(input, { ...init, redirect: "manual" });
  if (response.status >= 300 && response.status < 400)
    throw new Error(`the judge's address answers ${response.status}, and redirects are not followed`);
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
