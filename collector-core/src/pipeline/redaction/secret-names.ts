/** Names of secrets, in texts and as object keys. */

/** Providers whose key is named after them: `AZURE_OPENAI_KEY`. */
const PROVIDERS =
  "openai|anthropic|claude|gemini|mistral|cohere|groq|deepseek|perplexity|openrouter|together|fireworks|replicate|hugging_?face|elevenlabs|deepgram|pinecone|qdrant|weaviate|tavily|serpapi|stripe|sendgrid|mailgun|twilio|cognitive_?services|speech|search_?admin";

/** Names whose values are always secret. */
export const STRONG_SECRET_NAMES: readonly string[] = [
  "pass(?:word|wd|phrase|code)",
  "secret(?:[-_ ]?key[-_ ]?base)?",
  "(?:api|auth|access|account|private|secret|signing|encryption|master|shared|storage|license|session|subscription|service|app|consumer)[-_ ]?key",
  // The search for one word is faster than for each provider.
  `key(?<=(?:${PROVIDERS})[-_ ]?key)`,
  "(?:access|auth|refresh|api|id|bearer|session|security|secret|bot|user|client)[-_ ]?token",
  "credentials?",
  "authorization",
  "connection[-_ ]?string",
];

/** Also includes ambiguous names: a token can be part of a text or a page cursor, `pwd` the working directory. */
export const SECRET_NAMES: readonly string[] = [...STRONG_SECRET_NAMES, "token", "pwd"];

/** Optional suffixes of a name. */
export const SECRET_NAME_SUFFIXES: readonly string[] = ["value", "hash", "base64"];

/** The last two characters of all names and suffixes, and of `cookie`. */
const ENDINGS = ["rd", "wd", "se", "de", "et", "ey", "en", "al", "ls", "on", "ng", "ue", "sh", "64", "ie"];

const IS_ENDING = new Uint8Array(1024);
for (const ending of ENDINGS) IS_ENDING[endingIndex(ending.charCodeAt(0), ending.charCodeAt(1))] = 1;

/** Upper-case and lower-case letters have the same low five bits. */
function endingIndex(beforeLast: number, last: number): number {
  return ((beforeLast & 31) << 5) | (last & 31);
}

/** True when the name of a secret may end with these two characters. False positives are rare. */
export function mayEndSecretName(beforeLast: number, last: number): boolean {
  return IS_ENDING[endingIndex(beforeLast, last)] === 1;
}
