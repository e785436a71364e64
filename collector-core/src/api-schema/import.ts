import { Type, type Static } from "typebox";

/** The result of an import. */
export const ImportResultSchema = Type.Object(
  {
    lines: Type.Integer({ description: "Lines read, not counting empty lines." }),
    refused_lines: Type.Integer({ description: "Lines without usable content, out of `lines`." }),
    traces: Type.Integer({ description: "Traces with imported spans in the store." }),
    spans: Type.Integer({
      description: "Imported spans in the store. A span that was already stored is replaced.",
    }),
    refused_spans: Type.Integer({ description: "Unusable spans." }),
    dropped_spans: Type.Integer({ description: "Spans dropped because their redaction failed." }),
    evicted_traces: Type.Integer({
      description:
        "Older traces evicted for the import. If traces are kept on disk, those evicted during the import, for whichever spans.",
    }),
    problems: Type.Array(
      Type.Object({
        line: Type.Integer({ description: "Line number, from 1." }),
        message: Type.String(),
      }),
      { description: "The first 20 problems with lines or spans." },
    ),
  },
  { $id: "ImportResult" },
);
export type ImportResult = Static<typeof ImportResultSchema>;
