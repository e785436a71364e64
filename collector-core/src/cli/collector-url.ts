/** Where a collector listens unless it is told otherwise. */
export const DEFAULT_URL = "http://127.0.0.1:8080";
/** Where the address of a collector comes from without `--url`. */
export const URL_SOURCES = `OBS_PUSH_URL, else ${DEFAULT_URL}`;
/** The option `--url`. */
export const URL_OPTION = ["--url <url>", `address of the collector; default: ${URL_SOURCES}`] as const;
