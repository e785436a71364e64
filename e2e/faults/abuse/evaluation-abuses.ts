import { gzippedBatch } from "../../harness/gzipped-batches.js";
import { sendRequests } from "../../harness/raw-requests.js";
import { pause } from "../../harness/until.js";
import type { Abuse } from "./abuse.js";

/** A regular expression that takes many steps for each character and finds nothing. */
const expression = (n: number): string => `regex:(?:[a-z ]{1,400}[0-9]){2}${n}`;

/** Evaluations that take long to compute. */
export const EVALUATION_ABUSES: readonly Abuse[] = [
  {
    name: "evaluations with slow regular expressions",
    settings: { EVALUATION_ENABLED: "true", EVALUATION_JUDGE_PROVIDER: "ollama" },
    prepare({ port, size, note }) {
      const text = "all work and no play makes a dull reply ".repeat(1250);
      const requests = Array.from({ length: size(4, 40) }, (_, request) => {
        const types = Array.from({ length: 10 }, (_, type) => expression(request * 10 + type));
        const attributes = { prompt_text: "?", completion_text: text, evaluation_types: types };
        return gzippedBatch(
          JSON.stringify({
            spans: [{ name: "chat", span_type: "llm", trace_id: `regex-${request}`, attributes }],
          }),
        );
      });
      return async () => {
        note(await sendRequests(port, requests, 2));
        await pause(size(1000, 20_000));
      };
    },
  },
  {
    name: "spans that request hundreds of thousands of evaluations",
    settings: { EVALUATION_ENABLED: "true", EVALUATION_JUDGE_PROVIDER: "ollama" },
    prepare({ port, size, note }) {
      const types = Array.from({ length: 740_000 }, (_, type) => String(type).padStart(11, "0"));
      const attributes = { prompt_text: "?", completion_text: "!", evaluation_types: types };
      const spans = [{ name: "chat", span_type: "llm", trace_id: "requests", attributes }];
      const request = gzippedBatch(JSON.stringify({ spans }));
      return async () => {
        note(await sendRequests(port, new Array<typeof request>(size(1, 10)).fill(request), 2));
        await pause(size(300, 2000));
      };
    },
  },
];
