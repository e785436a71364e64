import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../../collector-core/test/free-port.js";
import { killProgram } from "./built-collector.js";
import { startProgram } from "./child-program.js";
import { until } from "./until.js";

/** One element of an instant vector. */
export interface VectorSample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** A scrape target, as Prometheus reports it. */
export interface Target {
  readonly job: string;
  readonly health: string;
  readonly lastError: string;
}

/** A Prometheus process. */
export interface Prometheus {
  /** Answers an instant query. */
  query(promQl: string): Promise<VectorSample[]>;
  targets(): Promise<Target[]>;
  /** The type of each metric family of a job, by name. */
  familyTypes(job: string): Promise<Record<string, string>>;
  /** The log so far. */
  readonly log: readonly string[];
  stop(): Promise<void>;
}

/**
 * Starts Prometheus on a free port, with its data in a temporary directory.
 *
 * @param jobs - targets to scrape every second: `host:port` by the name of the job.
 * @param ruleFiles - paths of rule files.
 */
export async function startPrometheus(
  jobs: Readonly<Record<string, string>>,
  ruleFiles: readonly string[] = [],
): Promise<Prometheus> {
  const directory = mkdtempSync(join(tmpdir(), "obspan-prometheus-"));
  const address = `127.0.0.1:${await freePort()}`;
  const configFile = join(directory, "prometheus.yml");
  writeFileSync(configFile, configuration({ ...jobs, prometheus: address }, ruleFiles));
  const program = startProgram("prometheus", [
    `--config.file=${configFile}`,
    `--storage.tsdb.path=${join(directory, "data")}`,
    `--web.listen-address=${address}`,
    "--log.format=json",
  ]);
  const stop = async (): Promise<void> => {
    await killProgram(program);
    rmSync(directory, { recursive: true });
  };

  async function api<T>(path: string, parameters: Readonly<Record<string, string>> = {}): Promise<T> {
    const query = new URLSearchParams(parameters).toString();
    const response = await fetch(`http://${address}/api/v1/${path}?${query}`);
    const answer = (await response.json()) as { status: string; error?: string; data: T };
    if (answer.status !== "success") throw new Error(`${path}: ${answer.error ?? response.statusText}`);
    return answer.data;
  }

  try {
    await until("Prometheus is ready", async () => {
      const { ok } = await fetch(`http://${address}/-/ready`);
      return ok || undefined;
    });
  } catch (error) {
    await stop();
    throw new Error(`Prometheus did not start:\n${program.stderr.join("\n")}`, { cause: error });
  }

  return {
    async query(promQl) {
      const { result } = await api<{ result: RawSample[] }>("query", { query: promQl });
      return result.map(({ metric, value: [, value] }) => ({ labels: metric, value: Number(value) }));
    },
    async targets() {
      const { activeTargets } = await api<{ activeTargets: RawTarget[] }>("targets");
      return activeTargets.map(({ labels, health, lastError }) => ({ job: labels.job, health, lastError }));
    },
    async familyTypes(job) {
      const families = await api<RawMetadata[]>("targets/metadata", { match_target: `{job="${job}"}` });
      return Object.fromEntries(families.map(({ metric, type }) => [metric, type]));
    },
    log: program.stderr,
    stop,
  };
}

interface RawSample {
  readonly metric: Record<string, string>;
  readonly value: readonly [time: number, value: string];
}
interface RawTarget {
  readonly labels: { readonly job: string };
  readonly health: string;
  readonly lastError: string;
}
interface RawMetadata {
  readonly metric: string;
  readonly type: string;
}

function configuration(jobs: Readonly<Record<string, string>>, ruleFiles: readonly string[]): string {
  const jobConfigs = Object.entries(jobs).map(([name, target]) => ({
    job_name: name,
    static_configs: [{ targets: [target] }],
  }));
  // Prometheus reads YAML, of which JSON is a subset.
  return JSON.stringify({
    global: { scrape_interval: "1s", scrape_timeout: "1s" },
    rule_files: ruleFiles,
    scrape_configs: jobConfigs,
  });
}
