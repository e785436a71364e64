import { elementsOf, field, textOf } from "../json-fields.js";
import type { ModelOperation } from "../model-client/operation.js";
import { definedOnly } from "../model-client/read-attributes.js";
import { cohereUsage } from "./cohere-usage.js";

/** Cohere's `/v1/rerank` and `/v2/rerank`. They are billed by searches, not by tokens. The documents are not recorded. */
export const cohereRerank: ModelOperation = {
  name: "rerank",
  spanType: "retrieval",
  readRequest: (request) =>
    definedOnly({
      model: textOf(field(request, "model")),
      input_text: textOf(field(request, "query")),
      document_count: elementsOf(field(request, "documents")).length,
      top_n: field(request, "top_n"),
    }),
  readResponse: (response) =>
    definedOnly({
      response_id: textOf(field(response, "id")),
      ...cohereUsage(field(response, "meta")),
      result_count: elementsOf(field(response, "results")).length,
    }),
};
