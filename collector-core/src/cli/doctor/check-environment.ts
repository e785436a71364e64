import { urlHost } from "../../runtime/url-host.js";
import { problem, warning, type Finding } from "./finding.js";

/** What the variables of an app are compared with. */
export interface EnvironmentOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Base address of the collector that is looked at. */
  readonly url: URL;
}

const OTLP_PORTS: ReadonlySet<string> = new Set(["4317", "4318"]);

/** Looks for variables that send spans elsewhere, or nowhere. Prints no value that could be a secret. */
export function checkEnvironment({ env, url }: EnvironmentOptions): Finding[] {
  const value = (name: string): string | undefined => env[name]?.trim() || undefined;
  const is = (name: string, text: string): boolean => value(name)?.toLowerCase() === text;
  const findings: Finding[] = [];
  const base = url.origin + url.pathname.replace(/\/$/, "");

  if (OTLP_PORTS.has(url.port))
    findings.push(
      problem(
        "address",
        `Port ${url.port} is one of OpenTelemetry.`,
        "The port of the collector is 8080, unless server.port says otherwise.",
      ),
    );
  if (value("OBS_PUSH_URL") === undefined)
    findings.push(
      warning(
        "address",
        "OBS_PUSH_URL is not set here: without it, the SDK sends nothing.",
        `Set OBS_PUSH_URL=${base}, call configure({ pushUrl }), or start the app with \`obspan run\`.`,
      ),
    );
  for (const [name, path] of [
    ["OTEL_EXPORTER_OTLP_ENDPOINT", ""],
    ["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "/v1/traces"],
  ] as const) {
    const text = value(name);
    if (text === undefined) continue;
    const endpoint = URL.canParse(text) ? new URL(text) : undefined;
    const remedy = `Set ${name}=${base}${path}.`;
    // `localhost:4318` is a URL too, with a scheme that no exporter knows.
    if (endpoint === undefined || !/^https?:$/.test(endpoint.protocol))
      findings.push(problem("exporter", `${name} is not an http or https URL.`, remedy));
    else if (endpoint.host !== url.host)
      findings.push(
        warning("exporter", `OpenTelemetry sends to ${endpoint.host} (${name}), not to ${url.host}.`, remedy),
      );
    else if (path === "" && /\/v1\/traces\/?$/.test(endpoint.pathname))
      findings.push(
        problem("exporter", `${name} ends with /v1/traces: exporters add it once more, and get 404.`, remedy),
      );
    else if (path !== "" && !/\/v1\/traces\/?$/.test(endpoint.pathname))
      findings.push(problem("exporter", `${name} is used as it is, and has no /v1/traces.`, remedy));
  }
  for (const name of ["OTEL_EXPORTER_OTLP_PROTOCOL", "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL"])
    if (is(name, "grpc"))
      findings.push(
        problem(
          "exporter",
          `${name} is grpc, which the collector does not speak.`,
          `Set ${name}=http/protobuf.`,
        ),
      );
  if (is("OTEL_SDK_DISABLED", "true"))
    findings.push(problem("exporter", "OTEL_SDK_DISABLED switches OpenTelemetry off.", "Unset it."));
  const exporter = value("OTEL_TRACES_EXPORTER");
  if (exporter !== undefined && !exporter.split(",").some((name) => name.trim() === "otlp"))
    findings.push(
      problem(
        "exporter",
        "OTEL_TRACES_EXPORTER has no otlp: traces are not sent.",
        "Set OTEL_TRACES_EXPORTER=otlp.",
      ),
    );
  const sampler = value("OTEL_TRACES_SAMPLER");
  if (sampler !== undefined && !/^(?:parentbased_)?always_on$/.test(sampler))
    findings.push(
      warning(
        "exporter",
        `OTEL_TRACES_SAMPLER is ${sampler}: some traces are not sent.`,
        "Unset it to send all.",
      ),
    );
  const rate = value("OBS_SAMPLE_RATE");
  if (rate !== undefined && Number(rate) < 1)
    findings.push(
      (Number(rate) === 0 ? problem : warning)(
        "exporter",
        `OBS_SAMPLE_RATE is ${Number(rate)}: the SDK sends that share of the traces.`,
        "Unset it to send all.",
      ),
    );
  return [...findings, ...checkProxy(value, url)];
}

/** The SDK of Obspan goes past a proxy on the same machine; the exporters of OpenTelemetry do not. */
function checkProxy(value: (name: string) => string | undefined, url: URL): Finding[] {
  const names = url.protocol === "https:" ? ["HTTPS_PROXY", "ALL_PROXY"] : ["HTTP_PROXY", "ALL_PROXY"];
  const name = names.flatMap((one) => [one.toLowerCase(), one]).find((one) => value(one) !== undefined);
  if (name === undefined) return [];
  const excluded = (value("no_proxy") ?? value("NO_PROXY") ?? "").split(/[\s,]+/);
  const host = urlHost(url);
  const isExcluded = excluded.some((item) => {
    const domain = item
      .replace(/^\*?\./, "")
      .replace(/:\d+$/, "")
      .toLowerCase();
    return item === "*" || (domain !== "" && (host === domain || host.endsWith(`.${domain}`)));
  });
  if (isExcluded) return [];
  return [
    warning(
      "proxy",
      `${name} is set, and NO_PROXY does not have ${host}: exporters may send to the proxy.`,
      `Add ${host} to NO_PROXY.`,
    ),
  ];
}
