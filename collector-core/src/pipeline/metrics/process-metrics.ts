import { collectDefaultMetrics, Registry } from "prom-client";
import type { ExposedFamily } from "./series-family.js";
import { formatBucketBound, type Labels } from "./series.js";

/** The actual shape of prom-client's JSON; its type declaration has `type` as a number. */
interface ProcessFamily {
  readonly name: string;
  readonly type: ExposedFamily["type"];
  readonly help: string;
  readonly values: readonly {
    readonly value: number;
    readonly labels: Readonly<Record<string, string | number>>;
    readonly metricName?: string;
  }[];
}

/** Module state: prom-client cannot stop its observers, so every collector in the process shares one registry. */
let registry: Registry | undefined;

/** Reads prom-client's `process_*` and `nodejs_*` families, which describe the process and not one collector. */
export async function processFamilies(): Promise<ExposedFamily[]> {
  if (registry === undefined) {
    registry = new Registry();
    collectDefaultMetrics({ register: registry });
  }
  const families = (await registry.getMetricsAsJSON()) as unknown as readonly ProcessFamily[];
  return families.map(({ name, type, help, values }) => {
    const samples = values.map(({ labels, ...sample }) => ({
      ...sample,
      labels: formatLabels(labels),
      sharedLabels: {},
    }));
    return { name, type, help, chunks: () => [samples] };
  });
}

function formatLabels(labels: Readonly<Record<string, string | number>>): Labels {
  const entries = Object.entries(labels).map(([name, value]) => {
    return [name, name === "le" && typeof value === "number" ? formatBucketBound(value) : String(value)];
  });
  return Object.fromEntries(entries) as Labels;
}
