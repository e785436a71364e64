import { execFileSync, spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { freePort } from "../../collector-core/test/free-port.js";
import { killProgram, OBSPAN } from "../harness/built-collector.js";
import { inherited, startProgram } from "../harness/child-program.js";
import { batchOf } from "../harness/http-client.js";
import { parseLedgerLine } from "../harness/ledger.js";
import { until } from "../harness/until.js";

const project = join(import.meta.dirname, "../..");
const packaging = join(project, "packaging");
const textOf = (path: string): string => readFileSync(join(project, path), "utf8");

/** The longest orderly stop (`shutdown.grace_period_seconds`). */
const GRACE_SECONDS = 30;
/** The collector closes idle connections after this time. */
const KEEP_ALIVE_SECONDS = 72;
/** Whom the image runs as. */
const IMAGE_USER = 65532;

/** Expects that `obspan check-config` knows each `OBS_SERVER_` variable of an environment, and its value. */
function expectValid(environment: Readonly<Record<string, string>>): void {
  const settings = Object.entries(environment).filter(([name]) => name.startsWith("OBS_SERVER_"));
  expect(settings.length).toBeGreaterThan(2);
  const { stdout, stderr } = spawnSync(process.execPath, [OBSPAN, "check-config"], {
    env: { ...inherited(), ...Object.fromEntries(settings) },
    encoding: "utf8",
  });
  expect(stderr).toBe("");
  expect(stdout).toContain("The configuration is valid.");
  for (const [name, value] of settings) if (value !== "") expect(stdout).toContain(name);
}

async function send(url: string, batch: unknown): Promise<Response> {
  return await fetch(`${url}/v1/telemetry`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(batch),
  });
}

describe("the container image", () => {
  const instructions = textOf("packaging/Dockerfile")
    .split("\n")
    .filter((line) => /^[A-Z]+ /.test(line))
    .map((line) => line.split(/ (.*)/s) as [string, string]);
  const last = instructions.slice(instructions.findLastIndex(([name]) => name === "FROM"));
  const all = (name: string): string[] => last.flatMap(([each, rest]) => (each === name ? [rest] : []));
  const command = (name: string): string[] => {
    const [instruction = ""] = all(name);
    return JSON.parse(instruction.slice(instruction.indexOf("["))) as string[];
  };

  /** /app of the image, for a user that may not write there, and /data. */
  let image: string;
  let data: string;
  beforeAll(() => {
    const directory = mkdtempSync(join(tmpdir(), "obspan-image-"));
    chmodSync(directory, 0o755);
    image = join(directory, "app");
    data = join(directory, "data");
    mkdirSync(data);
    execFileSync(process.execPath, [join(packaging, "image.mjs"), image]);
    execFileSync("chmod", ["-R", "a=rX", image]);
    if (process.getuid?.() === 0) chownSync(data, IMAGE_USER, IMAGE_USER);
  });
  afterAll(() => {
    execFileSync("chmod", ["-R", "u+w", image]);
    rmSync(join(image, ".."), { recursive: true, force: true });
  });
  /** A path of the image on this machine. */
  const here = (path: string): string =>
    path === "/nodejs/bin/node" ? process.execPath : path.replace(/^\/app\//, `${image}/`);

  it("has no shell, no root and no packages of the build", () => {
    expect(all("FROM")).toEqual([
      expect.stringMatching(/^gcr\.io\/distroless\/nodejs\d+-debian\d+:nonroot$/),
    ]);
    expect(all("USER")).toEqual([`${IMAGE_USER}:${IMAGE_USER}`]);
    expect(all("COPY")).toEqual([
      "--from=build /image /app",
      `--from=build --chown=${IMAGE_USER}:${IMAGE_USER} /data /data`,
    ]);
    expect([all("RUN"), all("ADD")]).toEqual([[], []]);
    expect(all("VOLUME")).toEqual(["/data"]);
    expect(all("STOPSIGNAL")).toEqual(["SIGTERM"]);
    for (const [name, from] of instructions)
      if (name === "FROM") expect(from).toMatch(/^[\w./-]+:[\w.-]+( AS \w+)?$/);
    const ignored = textOf(".dockerignore").split("\n");
    expect(ignored).toEqual(expect.arrayContaining([".git", "**/node_modules", "**/dist", "**/.env"]));
    const files = readdirSync(image, { recursive: true, encoding: "utf8" });
    expect(files.filter((file) => /\.(map|d\.ts)$/.test(file))).toEqual([]);
    expect(files).toEqual(expect.arrayContaining(["LICENSE", "collector-core/ui/index.html"]));
    // The rest of the 250 MB is Node.js.
    const sizes = files.map((file) => statSync(join(image, file)).size);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(60_000_000);
  });

  it("spec 4.9 rule 6: runs without writing to its files, is healthy, and ends at SIGTERM with an exact ledger", async () => {
    const port = String(await freePort());
    const [node = "", ...args] = [...command("ENTRYPOINT"), ...command("CMD")].map(here);
    const env = {
      ...Object.fromEntries(all("ENV").map((each) => each.split("=") as [string, string])),
      OBS_SERVER_TRACE_STORE_PATH: data,
      OBS_SERVER_TRACE_STORE_DISK_MIN_FREE_BYTES: "0",
      OBS_SERVER_HOST: "127.0.0.1",
      OBS_SERVER_PORT: port,
      // Not writable either: what Node.js keeps for the next start has no place.
      TMPDIR: image,
    };
    const asUser =
      process.getuid?.() === 0 ? ["setpriv", "--reuid", String(IMAGE_USER), "--clear-groups"] : [];
    const [program = "", ...rest] = [...asUser, node, ...args];
    const collector = startProgram(program, rest, env);
    onTestFinished(() => killProgram(collector));
    const [, ...check] = command("HEALTHCHECK").map(here);
    const isHealthy = async (path: string): Promise<boolean> => {
      const probe = startProgram(process.execPath, [...check, path], { OBS_SERVER_PORT: port });
      return (await probe.exit).code === 0;
    };
    await until("it is ready", async () => ((await isHealthy("/ready")) ? true : undefined));
    expect(await isHealthy("/nothing")).toBe(false);
    const url = `http://127.0.0.1:${port}`;
    expect((await fetch(url)).status).toBe(200);
    const batches = Array.from({ length: 20 }, (_, index) => batchOf(10, `image-${index}`));
    const statuses = await Promise.all(batches.map(async (batch) => (await send(url, batch)).status));
    expect(statuses).toEqual(batches.map(() => 202));
    collector.signal("SIGTERM");
    expect(await collector.exit).toEqual({ code: 0, signal: null });
    expect(parseLedgerLine(collector.stderr.at(-1) ?? "")).toMatchObject({
      received: 200,
      accepted: 200,
      processed: 200,
      queued: 0,
      inFlight: 0,
    });
    expect(existsSync(join(data, "traces.db"))).toBe(true);
    expect(await isHealthy("/health")).toBe(false);
  });

  it("has what evaluation loads on demand", () => {
    const names = ["ai", "@ai-sdk/openai", "@ai-sdk/amazon-bedrock", "@aws-sdk/credential-provider-node"];
    const program = names.map((name) => `await import("${name}");`).join("");
    execFileSync(process.execPath, ["--input-type=module", "-e", program], {
      cwd: join(image, "collector-core"),
    });
  });

  it("is checked before each release", () => {
    const { jobs } = parse(textOf(".github/workflows/release.yml")) as {
      jobs: Record<string, { needs: string | string[]; steps: { run?: string }[] }>;
    };
    const runs = jobs["image"]?.steps.flatMap(({ run }) => run ?? []) ?? [];
    expect(runs).toContain("node packaging/check-image.mjs obspan");
    expect(jobs["release"]?.needs).toContain("image");
    expect(textOf("packaging/check-image.mjs")).toContain("MAX_BYTES = 250_000_000");
  });
});

interface Service {
  readonly image: string;
  readonly ports?: readonly string[];
  readonly networks: readonly string[] | Readonly<Record<string, unknown>>;
  readonly environment?: Readonly<Record<string, string>>;
  readonly volumes?: readonly string[];
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly stop_grace_period?: string;
  readonly command?: readonly string[];
  readonly [field: string]: unknown;
}

describe("packaging/compose", () => {
  const { services, networks, volumes } = parse(textOf("packaging/compose/compose.yaml"), {
    merge: true,
  }) as {
    services: Record<string, Service>;
    networks: Record<string, { internal?: boolean } | null>;
    volumes: Record<string, unknown>;
  };
  const entries = Object.entries(services);
  const serviceOf = (name: string): Service => services[name] as Service;
  /** The settings with the variables of .env filled in. */
  const environmentOf = (name: string): Record<string, string> =>
    Object.fromEntries(
      Object.entries(serviceOf(name).environment ?? {}).map(([key, value]) => [
        key,
        value.replaceAll(/\$\{\w+(?::-([^}]*)|:\?[^}]*)\}/g, (_, fallback?: string) => fallback ?? "secret"),
      ]),
    );

  it("publishes the balancer alone, on this machine", () => {
    expect(entries.flatMap(([name, { ports = [] }]) => ports.map((port) => `${name} ${port}`))).toEqual([
      "balancer 127.0.0.1:${OBSPAN_PORT:-8080}:8080",
    ]);
    expect(networks["inside"]).toMatchObject({ internal: true });
    for (const name of ["valkey", "clickhouse", "prometheus"])
      expect(serviceOf(name).networks).toEqual(["inside"]);
  });

  it.each(entries)(
    "%s runs with no rights, on read-only files, with a bound on its memory",
    (name, service) => {
      expect(service).toMatchObject({
        restart: "unless-stopped",
        read_only: name !== "clickhouse",
        cap_drop: ["ALL"],
        security_opt: ["no-new-privileges:true"],
        mem_limit: expect.stringMatching(/^\d+[gm]$/),
      });
      for (const volume of service.volumes ?? []) {
        const [source = ""] = volume.split(":");
        if (source.startsWith(".")) {
          expect(existsSync(join(packaging, "compose", source)), volume).toBe(true);
          expect(volume).toMatch(/:ro$/);
        } else expect(Object.keys(volumes)).toContain(source);
      }
    },
  );

  it("has no password in a file, and asks for those that are needed", () => {
    const text = textOf("packaging/compose/compose.yaml");
    const needed = new Set([...text.matchAll(/\$\{(\w+):\?/g)].map(([, name]) => name));
    expect([...needed].sort()).toEqual(["CLICKHOUSE_PASSWORD", "OBSPAN_API_KEYS", "VALKEY_PASSWORD"]);
    const example = textOf("packaging/compose/env.example");
    for (const name of needed) expect(example).toMatch(new RegExp(`^${name}=$`, "m"));
    expect(textOf(".gitignore")).toContain("/packaging/compose/.env");
  });

  it.each(["collector-1", "collector-2"])(
    "%s is healthy when it is ready, has time to stop, and knows all of its settings",
    (name) => {
      const { healthcheck, stop_grace_period: grace = "", volumes: mounted } = serviceOf(name);
      expect(healthcheck?.test).toEqual(["CMD", "/nodejs/bin/node", "/app/health-check.mjs", "/ready"]);
      const environment = environmentOf(name);
      expect(environment["OBS_SERVER_SHUTDOWN_GRACE_PERIOD_SECONDS"]).toBe(String(GRACE_SECONDS));
      expect(Number.parseInt(grace)).toBeGreaterThan(GRACE_SECONDS);
      expect(mounted).toBeUndefined();
      expect(serviceOf("clickhouse").volumes).toEqual(["traces:/var/lib/clickhouse"]);
      expectValid(environment);
      const { inside } = serviceOf("balancer").networks as { inside: { ipv4_address: string } };
      expect(environment["OBS_SERVER_TRUSTED_PROXIES"]).toBe(inside.ipv4_address);
    },
  );

  it("Valkey keeps the queue over a restart, and refuses rather than forgets when it is full", () => {
    const { command, image, volumes: mounted } = serviceOf("valkey");
    expect(image).toMatch(/^valkey\/valkey:8/);
    const flags = command?.join(" ") ?? "";
    for (const flag of [
      "appendonly yes",
      "appendfsync everysec",
      "maxmemory 2gb",
      "maxmemory-policy noeviction",
    ])
      expect(flags).toContain(`--${flag}`);
    expect(mounted).toEqual(["queue:/data"]);
  });

  it("the balancer holds no response back, and sends batches to collectors that are ready", () => {
    const lines = textOf("packaging/compose/haproxy.cfg")
      .split("\n")
      .map((line) => line.trim());
    expect(lines).toEqual(expect.arrayContaining(["balance leastconn", "bind :8080", "option forwardfor"]));
    expect(lines.filter((line) => line.includes("http-buffer-request"))).toEqual([]);
    const seconds = (name: string): number =>
      Number.parseInt(
        lines
          .find((line) => line.startsWith(`timeout ${name} `))
          ?.split(" ")
          .at(-1) ?? "0",
      );
    for (const side of ["client", "server"]) expect(seconds(side)).toBeGreaterThan(KEEP_ALIVE_SECONDS);
    const backend = (name: string): string[] => {
      const from = lines.indexOf(`backend ${name}`);
      return lines.slice(from + 1, from + 1 + [...lines.slice(from + 1), ""].indexOf(""));
    };
    expect(backend("ingestion")).toContain("option httpchk GET /ready");
    expect(backend("queries")).toContain("option httpchk GET /health");
    for (const name of ["ingestion", "queries"])
      for (const server of backend(name).filter((line) => line.startsWith("server ")))
        expect(Object.keys(services)).toContain(server.split(/[ :]/)[2]);
  });

  it("Prometheus asks every collector, and has the rules", () => {
    const config = parse(textOf("packaging/compose/prometheus.yml")) as {
      rule_files: string[];
      scrape_configs: { dns_sd_configs: { names: string[]; port: number }[] }[];
    };
    expect(config.scrape_configs[0]?.dns_sd_configs[0]).toMatchObject({ names: ["collectors"], port: 8080 });
    const rules = config.rule_files.map((file) => file.replace("/etc/prometheus/rules/", ""));
    for (const file of rules) expect(existsSync(join(project, "collector-core/prometheus", file))).toBe(true);
  });
});

interface Manifest {
  readonly kind: string;
  readonly data?: Readonly<Record<string, string>>;
  readonly spec: {
    readonly selector: { readonly matchLabels?: object };
    readonly maxUnavailable?: number;
    readonly ports?: readonly object[];
    readonly replicas?: number;
    readonly template: {
      readonly metadata: { readonly labels: object };
      readonly spec: {
        readonly terminationGracePeriodSeconds: number;
        readonly containers: readonly {
          readonly env: readonly { readonly name: string; readonly valueFrom: object }[];
          readonly lifecycle: { readonly preStop: { readonly sleep: { readonly seconds: number } } };
          readonly [field: string]: unknown;
        }[];
        readonly [field: string]: unknown;
      };
    };
  };
}

describe("packaging/kubernetes", () => {
  const manifests = parseAllDocuments(textOf("packaging/kubernetes/obspan.yaml")).map(
    (document) => document.toJS() as Manifest,
  );
  const specOf = (kind: string): Manifest["spec"] =>
    (manifests.find((each) => each.kind === kind) as Manifest).spec;
  const deployment = specOf("Deployment");
  const pod = deployment.template.spec;
  const [container] = pod.containers;

  it("has a Deployment that its Service and its PodDisruptionBudget select", () => {
    expect(manifests.map(({ kind }) => kind)).toEqual([
      "ConfigMap",
      "Deployment",
      "Service",
      "PodDisruptionBudget",
    ]);
    const { labels } = deployment.template.metadata;
    expect(deployment.selector.matchLabels).toEqual(labels);
    expect(specOf("Service")).toMatchObject({
      selector: labels,
      ports: [{ port: 8080, targetPort: "http" }],
    });
    expect(specOf("PodDisruptionBudget")).toMatchObject({
      maxUnavailable: 1,
      selector: { matchLabels: labels },
    });
    expect(deployment.replicas).toBe(2);
  });

  it("runs without rights, with probes, bounds and time to stop", () => {
    expect(pod).toMatchObject({
      automountServiceAccountToken: false,
      securityContext: {
        runAsNonRoot: true,
        runAsUser: IMAGE_USER,
        seccompProfile: { type: "RuntimeDefault" },
      },
    });
    expect(container).toMatchObject({
      ports: [{ name: "http", containerPort: 8080 }],
      securityContext: {
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ["ALL"] },
      },
      livenessProbe: { httpGet: { path: "/health", port: "http" } },
      readinessProbe: { httpGet: { path: "/ready", port: "http" } },
      startupProbe: { httpGet: { path: "/health", port: "http" } },
      resources: {
        requests: { cpu: expect.any(String), memory: expect.any(String) },
        limits: { memory: "1Gi" },
      },
    });
    const { seconds } = container?.lifecycle.preStop.sleep ?? { seconds: NaN };
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(seconds + GRACE_SECONDS);
  });

  it("has its secrets in a Secret, and knows all of its settings", () => {
    const secrets = container?.env
      .filter(({ valueFrom }) => "secretKeyRef" in valueFrom)
      .map(({ name }) => name);
    expect(secrets).toEqual([
      "OBS_SERVER_QUEUE_URL",
      "OBS_SERVER_TRACE_STORE_PASSWORD",
      "OBS_SERVER_AUTH_API_KEYS",
    ]);
    const { data = {} } = manifests.find(({ kind }) => kind === "ConfigMap") ?? {};
    expect(data["OBS_SERVER_SHUTDOWN_GRACE_PERIOD_SECONDS"]).toBe(String(GRACE_SECONDS));
    const values = container?.env.map(({ name }) => [
      name,
      name.endsWith("_URL") ? "rediss://redis" : "a-value",
    ]);
    expectValid({ ...data, ...Object.fromEntries(values ?? []) });
  });
});

describe("packaging/systemd", () => {
  const lines = textOf("packaging/systemd/obspan.service").split("\n");
  const values = (key: string): string[] =>
    lines.filter((line) => line.startsWith(`${key}=`)).map((line) => line.slice(key.length + 1));

  it("runs one collector as a user of its own that writes to its directory alone", () => {
    expect(values("ExecStart")).toEqual(["obspan serve"]);
    for (const key of ["DynamicUser", "NoNewPrivileges", "PrivateTmp", "PrivateDevices", "ProtectHome"])
      expect([key, values(key)]).toEqual([key, ["yes"]]);
    expect(values("ProtectSystem")).toEqual(["strict"]);
    expect(values("CapabilityBoundingSet")).toEqual([""]);
    expect(values("StateDirectory")).toEqual(["obspan"]);
    // Node.js compiles code while it runs.
    expect(values("MemoryDenyWriteExecute")).toEqual([]);
    expect(values("Restart")).toEqual(["on-failure"]);
    expect(values("KillSignal")).toEqual(["SIGTERM"]);
    expect(Number(values("TimeoutStopSec")[0])).toBeGreaterThan(GRACE_SECONDS);
  });

  it("knows all of its settings, and is reached from this machine alone unless it is told otherwise", () => {
    const settings = values("Environment").map((each) => each.replace("%S", "/var/lib").split("="));
    const environment = Object.fromEntries(settings) as Record<string, string>;
    expect(environment).toMatchObject({
      OBS_SERVER_HOST: "127.0.0.1",
      OBS_SERVER_TRACE_STORE_PATH: "/var/lib/obspan",
      OBS_SERVER_SHUTDOWN_GRACE_PERIOD_SECONDS: String(GRACE_SECONDS),
    });
    expectValid(environment);
    expect(values("EnvironmentFile")).toEqual(["-/etc/obspan/obspan.env"]);
  });
});
