import Type, { type Static } from "typebox";

/** What became of a file of traces. */
export const ImportResultSchema = Type.Object(
  {
    lines: Type.Integer({ description: "Lines that were read; empty ones do not count." }),
    refused_lines: Type.Integer({ description: "Of these, lines of which nothing could be used." }),
    traces: Type.Integer({ description: "Traces of which spans are in the store now." }),
    spans: Type.Integer({ description: "Spans in the store now. One that was there has been replaced." }),
    refused_spans: Type.Integer({ description: "Spans that could not be used." }),
    dropped_spans: Type.Integer({ description: "Spans left out because their redaction failed." }),
    evicted_traces: Type.Integer({ description: "Older traces that had to make room." }),
    problems: Type.Array(
      Type.Object({
        line: Type.Integer({ description: "From 1 on." }),
        message: Type.String(),
      }),
      { description: "Why lines or spans were refused: the first 20." },
    ),
  },
  { $id: "ImportResult" },
);
export type ImportResult = Static<typeof ImportResultSchema>;
