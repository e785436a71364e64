/** Shorter words may occur in any text. */
const SHORTEST_SECRET = 6;
const HIDDEN = "***";

/**
 * Returns a function that replaces secrets of the collector in a text of another server, which may repeat what it was sent.
 *
 * @param values - such as the values of headers: each word of `Bearer …` is a secret of its own.
 */
export function createSecretHider(values: readonly string[]): (text: string) => string {
  const secrets = values
    .flatMap((value) => [value, ...value.split(/\s+/)])
    .filter((secret) => secret.length >= SHORTEST_SECRET)
    // A secret may be a part of another one.
    .sort((a, b) => b.length - a.length);
  return (text) => secrets.reduce((hidden, secret) => hidden.replaceAll(secret, () => HIDDEN), text);
}
