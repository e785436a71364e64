import { elementsOf, field, textOf } from "../json-fields.js";
import type { ModelOperation } from "../model-client/operation.js";
import { definedOnly } from "../model-client/read-attributes.js";
import { plainInputText } from "./openai-messages.js";
import { requestParameters } from "./openai-request.js";
import { usageAttributes } from "./openai-usage.js";

/** `embeddings.create`. The vectors are not recorded: thousands of numbers are of no use to a reader. */
export const openaiEmbeddings: ModelOperation = {
  name: "embeddings",
  spanType: "embedding",
  readRequest: (request) =>
    definedOnly({
      model: textOf(field(request, "model")),
      ...requestParameters(request),
      input_text: plainInputText(field(request, "input")),
    }),
  readResponse: (response) =>
    definedOnly({
      model: textOf(field(response, "model")),
      ...usageAttributes(response),
      embedding_count: elementsOf(field(response, "data")).length,
    }),
};
