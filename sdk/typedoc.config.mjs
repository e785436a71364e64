import { readFileSync } from "node:fs";

const { exports } = JSON.parse(readFileSync(new URL("package.json", import.meta.url), "utf8"));

/**
 * Settings of `npm run docs:api`: the reference of everything that the package exports, from the types that it publishes.
 * Needs the build.
 *
 * @type {Partial<import("typedoc").TypeDocOptions>}
 */
export default {
  name: "@obspan/sdk",
  tsconfig: "tsconfig.api.json",
  entryPoints: Object.values(exports).flatMap((entry) => entry.import?.types ?? []),
  out: "../.cache/sdk-api",
  // Its links are relative to the repository.
  readme: "none",
  disableSources: true,
  excludePrivate: true,
  treatWarningsAsErrors: true,
  validation: {
    notExported: true,
    invalidLink: true,
    invalidPath: true,
    rewrittenLink: true,
    notDocumented: false,
  },
  // Helpers in signatures, and what the types of a client library have in common.
  intentionallyNotExported: [
    "src/config/configure-options.ts:AnyFunction",
    "src/config/configure-options.ts:MethodContext",
    "src/integrations/claude-agent-sdk/wrap-query.ts:Query",
    "src/integrations/otel/span-processor.ts:OtelContext",
    "src/integrations/otel/span-processor.ts:OtelSpan",
    "src/integrations/otel/span-processor.ts:OtelSpanOptions",
    "src/integrations/otel/span-processor.ts:SpanFunction",
  ],
};
