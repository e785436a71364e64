/**
 * `npm run docs`: generates the reference pages from the tables of the code. `--check` writes nothing and fails if a page is
 * out of date. Needs the build.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createCollector } from "../collector-core/dist/collector.js";
import { configFileSchema } from "../collector-core/dist/config/config-file-schema.js";
import { loadConfig } from "../collector-core/dist/config/load-config.js";
import { renderOptionsReference } from "../collector-core/dist/config/options-reference.js";
import { ERROR_CATALOGUE } from "../collector-core/dist/api-schema/errors.js";
import { METRIC_FAMILIES, metricLabelNames } from "../collector-core/dist/api-schema/metrics.js";
import { createLogger } from "../collector-core/dist/logging/logger.js";
import * as sdkOptions from "../sdk/dist-test/src/config/options.js";
import { renderEndpoints } from "./endpoints-page.mjs";
import { renderSdkOptions } from "./sdk-options-page.mjs";

const PAGES = {
  "sdk-options.md": () => renderSdkOptions(sdkOptions),
  "options.md": renderOptionsReference,
  "config.schema.json": () => `${JSON.stringify(configFileSchema(), null, 2)}\n`,
  "errors.md": renderErrors,
  "metrics.md": renderMetrics,
  "endpoints.md": async () => renderEndpoints(await fetchApi()),
};

function renderErrors() {
  const rows = Object.entries(ERROR_CATALOGUE).map(
    ([code, { status, meaning }]) => `| ${status} | \`${code}\` | ${meaning} |`,
  );
  return `# Errors of the HTTP API

<!-- Generated from collector-core/src/api-schema/errors.ts by \`npm run docs\`. Do not edit. -->

Every error has one shape. \`message\` says what was wrong, with the value and the limit; \`details\` has the same for programs.

\`\`\`json
{ "error": { "code": "invalid_span", "message": "spans[3].name must be …", "details": { "index": 3, "field": "name" } } }
\`\`\`

429 and 503 carry \`Retry-After\` in seconds, 405 carries \`Allow\`.

| status | code | meaning |
| --- | --- | --- |
${rows.join("\n")}
`;
}

function renderMetrics() {
  const rows = Object.entries(METRIC_FAMILIES).map(([name, { type, help, unit }]) => {
    const labels = metricLabelNames(name).map((label) => `\`${label}\``);
    return `| \`${name}\` | ${type} | ${unit} | ${labels.join(", ") || "–"} | ${help} |`;
  });
  return `# Metrics

<!-- Generated from collector-core/src/api-schema/metrics.ts by \`npm run docs\`. Do not edit. -->

\`GET /metrics\` answers Prometheus text 0.0.4, or OpenMetrics 1.0 where \`Accept\` asks for it. Families of spans count every
span that ended, sampled or not. A label that a span does not have is empty; a value beyond its cap is
\`__other__\`, and long values are cut (\`limits.*\` in [options.md](options.md)). At rest, always:

- \`obs_spans_received_total\` = \`obs_spans_accepted_total\` + \`obs_spans_rejected_total\`
- \`obs_spans_accepted_total\` = \`obs_spans_processed_total\` + \`obs_spans_dropped_total\` + \`obs_queue_size\`

| family | type | unit | labels | meaning |
| --- | --- | --- | --- | --- |
${rows.join("\n")}

prom-client's \`process_*\` and \`nodejs_*\` families are added.
`;
}

/** The OpenAPI document of a collector that is started for this. */
async function fetchApi() {
  const { loaded } = loadConfig({ env: { OBS_SERVER_HOST: "127.0.0.1", OBS_SERVER_PORT: "0" } });
  const logger = createLogger({ level: "ERROR", structured: false, logFile: undefined });
  const collector = await createCollector({ loaded, logger, version: "" });
  await collector.start();
  try {
    return await (await fetch(`${collector.url}/openapi.json`)).json();
  } finally {
    await collector.stop();
  }
}

const directory = new URL("../docs/reference/", import.meta.url);
const isCheck = process.argv.includes("--check");
mkdirSync(directory, { recursive: true });
for (const [file, render] of Object.entries(PAGES)) {
  const url = new URL(file, directory);
  const page = await render();
  if (!isCheck) writeFileSync(url, page);
  else if (readFileSync(url, "utf8") !== page) {
    console.error(`docs/reference/${file} is out of date: run \`npm run docs\`.`);
    process.exitCode = 1;
  }
}
