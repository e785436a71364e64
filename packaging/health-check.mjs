/** Exits with 0 if the collector of this container answers 200: `node health-check.mjs [path]`. Default: /health. */
import { get } from "node:http";

const TIMEOUT_MS = 2000;
const { OBS_SERVER_HOST: host = "", OBS_SERVER_PORT: port = "" } = process.env;
const [, , path = "/health"] = process.argv;

const request = get(
  {
    host: ["", "0.0.0.0", "::"].includes(host) ? "127.0.0.1" : host,
    port: port === "" ? 8080 : port,
    path,
    timeout: TIMEOUT_MS,
  },
  ({ statusCode }) => process.exit(statusCode === 200 ? 0 : 1),
);
request.on("error", () => process.exit(1));
request.on("timeout", () => process.exit(1));
