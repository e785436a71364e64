/** The example without the span of the app's own. */
export default {
  page: "opentelemetry",
  example: 1,
  install: ["@opentelemetry/api@1.9.0", "@opentelemetry/sdk-trace-node@2.12.0"],
  replace: [
    ["configure, observe", "configure"],
    ['await observe("order", () =>\n  trace', "trace"],
    ["  }),\n);", "  });"],
  ],
  unwrap: [["[new ObspanSpanProcessor()]", "[]"]],
  expected: [["span query"]],
};
