/** The error that `configure()` throws. `code` is stable; the message may change. */
export class RuntimeError extends Error {
  override readonly name: string = "RuntimeError";

  constructor(
    message: string,
    readonly code: "ALREADY_CONFIGURED" | "INVALID_OPTION",
  ) {
    super(message);
  }
}
