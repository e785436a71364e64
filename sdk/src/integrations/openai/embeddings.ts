import { elementsOf, field, textOf } from "../json-fields.js";
import { plainInputText } from "./chat-messages.js";
import type { Operation } from "./operation.js";
import { defined } from "./read-attributes.js";
import { requestParameters } from "./request-parameters.js";
import { usageAttributes } from "./usage.js";

/** `embeddings.create`. The vectors stay with the application: numbers by the thousand, of use to no reader. */
export const embeddings: Operation = {
  name: "embeddings",
  spanType: "embedding",
  readRequest: (request) => {
    const input = field(request, "input");
    return defined({
      model: textOf(field(request, "model")),
      ...requestParameters(request),
      input_text: plainInputText(input),
    });
  },
  readResponse: (response) =>
    defined({
      model: textOf(field(response, "model")),
      ...usageAttributes(response),
      embedding_count: elementsOf(field(response, "data")).length,
    }),
};
