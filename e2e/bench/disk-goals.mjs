/**
 * What the disk store should reach (docs/performance.md). Figures of processor time hold on any machine; times of the clock are of
 * an idle machine with two cores.
 *
 * @typedef {object} Goal
 * @property {string} name
 * @property {string} figure - of the results of `measureDisk`.
 * @property {string} [beside] - the same figure of the memory store.
 * @property {string} unit
 * @property {number | ((spans: number, driver: "node:sqlite" | "wasm") => number | undefined)} limit
 * @property {boolean} [isLowest] - the limit is a lower one.
 * @property {number} tolerance - share by which a figure may miss the limit before `--strict` fails.
 */

/** A goal for up to a million spans. Larger files show the figure beside it. */
const atMillion = (limit) => (spans) => (spans > 1e6 ? undefined : limit);

/** @type {readonly Goal[]} */
export const GOALS = [
  {
    name: "hand a span to the thread, CPU of the main thread",
    figure: "handOverMicros",
    beside: "memoryAppendMicros",
    unit: "µs",
    limit: 1,
    tolerance: 0.1,
  },
  {
    name: "storage thread, CPU a span",
    figure: "storageMicros",
    unit: "µs",
    limit: (_, driver) => (driver === "wasm" ? 22 : 15),
    tolerance: 0.1,
  },
  {
    name: "spans in a second of storage thread CPU",
    figure: "spansPerCpuSecond",
    unit: "",
    limit: 50_000,
    isLowest: true,
    tolerance: 0.1,
  },
  { name: "file over received JSON", figure: "fileOverReceived", unit: "", limit: 0.55, tolerance: 0.05 },
  {
    name: "written over received, 10 requests/s",
    figure: "writtenAt10",
    unit: "",
    limit: 6,
    tolerance: 0.1,
  },
  {
    name: "written over received, 100 requests/s",
    figure: "writtenAt100",
    unit: "",
    limit: 2.5,
    tolerance: 0.1,
  },
  {
    name: "written over received, 1,000 requests/s",
    figure: "writtenAt1000",
    unit: "",
    limit: 2.5,
    tolerance: 0.1,
  },
  {
    name: "list, p50 at 1,000 requests/s",
    figure: "disk_listP50Ms",
    beside: "memory_listP50Ms",
    unit: "ms",
    limit: atMillion(50),
    tolerance: 0.5,
  },
  {
    name: "list, p95 at 1,000 requests/s",
    figure: "disk_listP95Ms",
    beside: "memory_listP95Ms",
    unit: "ms",
    limit: atMillion(50),
    tolerance: 0.5,
  },
  {
    name: "filters, p95 at 1,000 requests/s",
    figure: "disk_filterP95Ms",
    beside: "memory_filterP95Ms",
    unit: "ms",
    limit: atMillion(50),
    tolerance: 0.5,
  },
  {
    name: "orders, p95 at 1,000 requests/s",
    figure: "disk_orderP95Ms",
    beside: "memory_orderP95Ms",
    unit: "ms",
    limit: atMillion(50),
    tolerance: 0.5,
  },
  {
    name: "facets of all traces, CPU",
    figure: "facetsCpuMs",
    unit: "ms",
    limit: (spans) => (spans > 1e6 ? 400 : 60),
    tolerance: 0.2,
  },
  {
    name: "q, nowhere in the text, CPU",
    figure: "nowhereCpuMs",
    unit: "ms",
    limit: atMillion(300),
    tolerance: 0.2,
  },
  {
    name: "q, in the text of an eighth, CPU",
    figure: "eighthCpuMs",
    unit: "ms",
    limit: atMillion(300),
    tolerance: 0.2,
  },
  {
    name: "q, a page of a text in one trace of 1,000, CPU",
    figure: "thousandthCpuMs",
    unit: "ms",
    limit: 150,
    tolerance: 0.2,
  },
  {
    name: "q, the worst text, CPU",
    figure: "worstCpuMs",
    unit: "ms",
    limit: atMillion(3000),
    tolerance: 0.2,
  },
  {
    name: "facets of a word in an eighth, CPU",
    figure: "eighthFacetsCpuMs",
    unit: "ms",
    limit: () => undefined,
    tolerance: 0,
  },
  {
    name: "attributes, a page of the slowest of six queries, CPU",
    figure: "attributeCpuMs",
    unit: "ms",
    limit: atMillion(300),
    tolerance: 0.2,
  },
  {
    name: "open to first page",
    figure: "firstPageMs",
    unit: "ms",
    limit: (spans) => (spans > 1e6 ? 450 : 150),
    tolerance: 0.5,
  },
  {
    name: "resident memory beyond a collector without a store",
    figure: "residentMb",
    beside: "memoryResidentMb",
    unit: "MB",
    limit: 128,
    tolerance: 0.1,
  },
  {
    name: "p99 of ingestion over that with the memory store",
    figure: "ingestP99Ratio",
    unit: "",
    limit: 1.2,
    tolerance: 0.25,
  },
  { name: "longest step of retention, CPU", figure: "retentionCpuMs", unit: "ms", limit: 20, tolerance: 0.5 },
  {
    name: "longest step of removing a trace, CPU",
    figure: "removalCpuMs",
    unit: "ms",
    limit: 20,
    tolerance: 0.5,
  },
  { name: "lost at kill -9", figure: "lostMs", unit: "ms", limit: 300, tolerance: 0.1 },
];

/**
 * @param {Goal} goal
 * @param {object} result
 */
export function judge({ figure, limit, isLowest = false, tolerance }, { spans, driver, figures }) {
  const value = figures[figure];
  const bound = typeof limit === "number" ? limit : limit(spans, driver);
  if (bound === undefined) return { value, bound, isMet: true, isMissed: false };
  const isMet = isLowest ? value >= bound : value <= bound;
  const isMissed = isLowest ? value < bound * (1 - tolerance) : value > bound * (1 + tolerance);
  return { value, bound, isMet, isMissed };
}
