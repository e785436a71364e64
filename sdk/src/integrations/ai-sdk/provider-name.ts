import { textOf } from "../json-fields.js";

/** The provider as spans name it: `openai` for `openai.responses`, `bedrock` for `amazon-bedrock`. */
export function providerName(name: unknown): string | undefined {
  return textOf(name)
    ?.toLowerCase()
    .replace(/^(azure).*|[.].*/, "$1")
    .replace(/^amazon.*/, "bedrock")
    .replace(/^(google|vertex).*/, "google");
}
