/** The message of a thrown value, for answers, reasons and the messages of the log, which `GET /v1/events` returns. */
export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The code of an error of the system or of Node, such as `ENOENT`; undefined for any other value. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && "code" in error ? String(error.code) : undefined;
}

/**
 * Formats a thrown value with its stack, if it has one: `log.error("…", { error: describeError(error) })`. A lint rule refuses
 * it elsewhere, since a stack tells a client about the paths of the server.
 */
export function describeError(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
