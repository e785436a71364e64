import { Type } from "typebox";
import { counted } from "../../../runtime/counted.js";
import { asTime, timeOf } from "../formats.js";
import type { ReadFailures } from "../read-failures.js";
import { ARGUMENTS, defineTool, type Tool } from "../tool.js";
import { tenantOf } from "./search-traces.js";

/** Errors by the shape of their messages. */
export function listErrors(read: ReadFailures): Tool {
  return defineTool({
    name: "list_errors",
    title: "List errors",
    description:
      "What fails, grouped: failed spans (model calls, tools, others) of the newest runs with errors, one line for each shape of " +
      "message with numbers and ids left out, with counts, where it happens, when, and the newest example. Then call get_trace with " +
      "trace_id and span_id of the example. Narrow it with query, such as tool:search or version:1.4.2 start:>-1h.",
    arguments: {
      query: ARGUMENTS.query,
      limit: Type.Optional(
        Type.Integer({ minimum: 1, maximum: 100, description: "Groups at most. Default: 20." }),
      ),
      cursor: ARGUMENTS.cursor,
    },
    async run({ query, limit = 20, cursor, ...rest }, { signal }) {
      const { groups, traces, nextCursor } = await read({ query, cursor, ...tenantOf(rest) }, signal);
      const spans = groups.reduce((sum, group) => sum + group.spans, 0);
      return {
        lead:
          traces === 0
            ? "No trace with an error matches."
            : `${counted(spans, "failed span")} of ${counted(groups.length, "kind")} in the ${traces === 1 ? "newest trace" : `newest ${counted(traces, "trace")}`} with errors. Times are UTC.`,
        sections: [
          {
            kind: "table",
            title: "Errors",
            columns: [
              { name: "spans" },
              { name: "traces" },
              { name: "type", length: 40 },
              { name: "message", length: 200 },
              { name: "where", length: 120 },
              { name: "first", format: asTime },
              { name: "last", format: asTime },
              { name: "trace_id", length: 128 },
              { name: "span_id", length: 64 },
            ],
            rows: groups
              .slice(0, limit)
              .map((group) => [
                group.spans,
                group.traces,
                group.type ?? null,
                group.spans === 1 ? group.example.message : group.shape,
                [...group.places].join(", "),
                timeOf(group.firstTime),
                timeOf(group.lastTime),
                group.example.traceId,
                group.example.spanId,
              ]),
            rest: () => "use a larger max_tokens, or a narrower query",
          },
        ],
        notes: [
          ...(groups.length > limit
            ? [`${counted(groups.length - limit, "more kind")}: use a larger limit.`]
            : []),
          nextCursor === null
            ? "All traces with errors that match were read."
            : `Older traces: the same arguments with cursor "${nextCursor}".`,
          ...(traces === 0
            ? ["search_traces shows the runs that there are. A tool may answer wrongly without an error."]
            : []),
        ],
      };
    },
  });
}
