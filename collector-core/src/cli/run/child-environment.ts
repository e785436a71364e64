import type { GitState } from "./git-state.js";

type Environment = Readonly<Record<string, string | undefined>>;

/** What the environment of a child is made of. */
export interface ChildEnvironmentOptions {
  readonly env: Environment;
  readonly platform: NodeJS.Platform;
  /** Base address of the collector. */
  readonly url: string;
  /** True if the user named the address in the command line: it then wins over variables. */
  readonly isUrlGiven: boolean;
  /** Named by the user in the command line. */
  readonly service: string | undefined;
  readonly defaultService: string;
  readonly runId: string;
  readonly git: GitState;
  /** URL of the file that hooks the libraries of a Node app; undefined without the SDK. */
  readonly registerUrl: string | undefined;
}

/**
 * The environment of a command under `obspan run`: that of the user, and what is needed to send traces as far as the user has
 * not set it.
 */
export function childEnvironment(options: ChildEnvironmentOptions): Record<string, string> {
  const { env, url, service, registerUrl } = options;
  const child = new Variables(env, options.platform);
  const apiKey = child.get("OBS_API_KEY");

  child.set("OBS_PUSH_URL", url, options.isUrlGiven);
  const serviceName =
    service ?? child.get("OBS_SERVICE") ?? child.get("OTEL_SERVICE_NAME") ?? options.defaultService;
  child.set("OBS_SERVICE", serviceName, service !== undefined);
  const attributes = child.get("OTEL_RESOURCE_ATTRIBUTES");
  if (service !== undefined || !hasKey(attributes, "service.name"))
    child.set("OTEL_SERVICE_NAME", serviceName, service !== undefined);
  child.set("OTEL_RESOURCE_ATTRIBUTES", withAttributes(attributes, resourceAttributes(options)), true);

  // Where the user sends elsewhere, neither the protocol nor the key is ours to set.
  const isOurs =
    !child.has("OTEL_EXPORTER_OTLP_ENDPOINT") && !child.has("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT");
  if (isOurs) {
    child.set("OTEL_EXPORTER_OTLP_ENDPOINT", url);
    child.set("OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf");
    const hasOther = ["METRICS", "LOGS"].some((signal) => child.has(`OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`));
    if (apiKey !== undefined && !child.has("OTEL_EXPORTER_OTLP_TRACES_HEADERS"))
      child.set(
        hasOther ? "OTEL_EXPORTER_OTLP_TRACES_HEADERS" : "OTEL_EXPORTER_OTLP_HEADERS",
        `x-api-key=${encodeURIComponent(apiKey)}`,
      );
  }
  child.set("OTEL_TRACES_EXPORTER", "otlp");
  // The collector takes traces only.
  child.set("OTEL_METRICS_EXPORTER", "none");
  child.set("OTEL_LOGS_EXPORTER", "none");
  if (registerUrl !== undefined)
    child.set("NODE_OPTIONS", withFlag(child.get("NODE_OPTIONS"), registerUrl), true);
  return child.all();
}

/** Environment variables, whose names have no letter case on Windows. */
class Variables {
  readonly #values: Map<string, string>;
  readonly #names: Map<string, string>;
  readonly #isWindows: boolean;

  constructor(env: Environment, platform: NodeJS.Platform) {
    this.#isWindows = platform === "win32";
    const entries = Object.entries(env).flatMap(([name, value]): [string, string][] =>
      value === undefined ? [] : [[name, value]],
    );
    this.#values = new Map(entries);
    this.#names = new Map(entries.map(([name]) => [this.#keyOf(name), name]));
  }

  /** An empty variable counts as not set, for the SDK and for OpenTelemetry. */
  get(name: string): string | undefined {
    const value = this.#values.get(this.#names.get(this.#keyOf(name)) ?? name);
    return value === "" ? undefined : value;
  }

  has(name: string): boolean {
    return this.get(name) !== undefined;
  }

  set(name: string, value: string, wins = false): void {
    if (!wins && this.has(name)) return;
    const key = this.#keyOf(name);
    const known = this.#names.get(key) ?? name;
    this.#names.set(key, known);
    this.#values.set(known, value);
  }

  all(): Record<string, string> {
    return Object.fromEntries(this.#values);
  }

  #keyOf(name: string): string {
    return this.#isWindows ? name.toUpperCase() : name;
  }
}

function resourceAttributes({ git, runId }: ChildEnvironmentOptions): [string, string][] {
  const attributes: [string, string | undefined][] = [
    ["vcs.repository.url.full", git.repositoryUrl],
    ["vcs.repository.name", git.repositoryName],
    ["vcs.ref.head.name", git.branch],
    ["vcs.ref.head.revision", git.revision],
    ["obspan.run.id", runId],
  ];
  return attributes.flatMap(([key, value]): [string, string][] =>
    value === undefined ? [] : [[key, value]],
  );
}

function withAttributes(
  list: string | undefined,
  attributes: readonly (readonly [string, string])[],
): string {
  const added = attributes
    .filter(([key]) => key === "obspan.run.id" || !hasKey(list, key))
    .map(([key, value]) => `${key}=${encodeURIComponent(value)}`);
  // A run within a run is a run of its own.
  const kept = (list ?? "")
    .split(",")
    .filter((item) => item.trim() !== "" && keyOf(item) !== "obspan.run.id");
  return [...kept, ...added].join(",");
}

function hasKey(list: string | undefined, key: string): boolean {
  return (list ?? "").split(",").some((item) => keyOf(item) === key);
}

function keyOf(item: string): string {
  return (item.split("=", 1)[0] ?? "").trim();
}

function withFlag(options: string | undefined, registerUrl: string): string {
  // A command within the command has it already, perhaps from another copy.
  if (options !== undefined && /@obspan[/\\]sdk|[/\\]sdk[/\\]dist[/\\]register\./.test(options))
    return options;
  const flag = `--import ${registerUrl}`;
  return options === undefined ? flag : `${options} ${flag}`;
}
