import { countOf, elementsOf, field, textOf } from "../json-fields.js";
import type { ModelOperation } from "../model-client/operation.js";
import { definedOnly } from "../model-client/read-attributes.js";
import { geminiMessages } from "./gemini-content.js";
import { modelName } from "./gemini.js";
import { joinTexts, partsText } from "./message-parts.js";

/**
 * `embedContent` and `batchEmbedContents` of the Gemini API, and `embedContent` and `predict` of Vertex AI. The vectors are not
 * recorded.
 */
export const geminiEmbeddings: ModelOperation = {
  name: "embeddings",
  spanType: "embedding",
  readRequest: (request) => {
    const requests = [...elementsOf(field(request, "requests")), ...elementsOf(field(request, "instances"))];
    const contents = [
      field(request, "contents") ?? field(request, "content"),
      ...requests.map((one) => field(one, "content")),
    ];
    const texts = contents.flatMap(geminiMessages).map(({ parts }) => partsText(parts));
    return definedOnly({
      model: modelName(field(request, "model") ?? field(requests[0], "model")),
      dimensions: field(field(request, "config"), "outputDimensionality"),
      input_text: textOf(joinTexts(texts, "\n")),
    });
  },
  readResponse: (response) => {
    const embeddings = [
      ...elementsOf(field(response, "embeddings")),
      ...elementsOf(field(response, "predictions")).map((prediction) => field(prediction, "embeddings")),
    ];
    const counts = embeddings.flatMap((embedding) => {
      const statistics = field(embedding, "statistics");
      return countOf(field(statistics, "tokenCount") ?? field(statistics, "token_count")) ?? [];
    });
    return definedOnly({
      tokens_input:
        countOf(field(field(response, "usageMetadata"), "promptTokenCount")) ??
        (counts.length > 0 ? counts.reduce((total, count) => total + count, 0) : undefined),
      embedding_count: embeddings.length || (field(response, "embedding") === undefined ? undefined : 1),
    });
  },
};
