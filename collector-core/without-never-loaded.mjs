/** What packages load only where they are asked for something that the collector does not ask of them. */
const NEVER_LOADED = {
  // It is given others (ingest/lazy-validators.ts): they are in a file of their own, which the first question loads.
  fastify: ["@fastify/ajv-compiler", "@fastify/fast-json-stringify-compiler", "light-my-request"],
  "@fastify/static": ["glob"],
  // For exemplars of the processor time of the process.
  "prom-client": ["@opentelemetry/api"],
};

/**
 * Leaves out of a bundle what is never loaded: it was half of what is read at the start.
 *
 * @returns {import("vite").Plugin}
 */
export function withoutNeverLoaded() {
  const isLeftOut = (id, importer = "") =>
    Object.entries(NEVER_LOADED).some(
      ([name, ids]) => importer.includes(`/node_modules/${name}/`) && ids.includes(id),
    );
  return {
    name: "without-never-loaded",
    enforce: "pre",
    resolveId: (id, importer) => (isLeftOut(id, importer) ? "\0left-out" : undefined),
    load: (id) => (id === "\0left-out" ? "export default {};" : undefined),
  };
}
