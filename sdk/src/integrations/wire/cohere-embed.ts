import { elementsOf, field, fieldsOf, textOf } from "../json-fields.js";
import type { ModelOperation } from "../model-client/operation.js";
import { definedOnly } from "../model-client/read-attributes.js";
import { cohereUsage } from "./cohere-usage.js";
import { plainInputText } from "./openai-messages.js";

/** Cohere's `/v1/embed` and `/v2/embed`. The vectors are not recorded. */
export const cohereEmbed: ModelOperation = {
  name: "embeddings",
  spanType: "embedding",
  readRequest: (request) =>
    definedOnly({
      model: textOf(field(request, "model")),
      dimensions: field(request, "output_dimension"),
      input_type: textOf(field(request, "input_type")),
      input_text: plainInputText(field(request, "texts") ?? field(request, "inputs")),
    }),
  readResponse: (response) => {
    const embeddings = field(response, "embeddings");
    // A list of vectors, or a list for each requested type of numbers.
    const [first] = Object.values(fieldsOf(embeddings) ?? {}).filter(Array.isArray);
    return definedOnly({
      response_id: textOf(field(response, "id")),
      ...cohereUsage(field(response, "meta")),
      embedding_count: elementsOf(Array.isArray(embeddings) ? embeddings : first).length,
    });
  },
};
