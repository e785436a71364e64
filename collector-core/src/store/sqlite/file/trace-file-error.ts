/** A trace file that cannot be used. It is left as it is. */
export class TraceFileError extends Error {
  override readonly name = "TraceFileError";
  readonly reason: "in_use" | "newer" | "unreadable";

  /** @param message - names the path. */
  constructor(reason: TraceFileError["reason"], message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }

  static newer(path: string, version: number, supported: number): TraceFileError {
    return new TraceFileError(
      "newer",
      `${path} was written by a newer version of Obspan: its format is ${version}, and this version reads formats up to ` +
        `${supported}. Start the newer version, or set trace_store.path to another directory.`,
    );
  }
}
