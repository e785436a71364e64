/** The exit codes of every command (contract 9). */
export const EXIT = {
  ok: 0,
  /** The task failed, or a condition was missed. */
  failed: 1,
  /** The command line cannot be understood. */
  usage: 2,
  /** Nothing matches. */
  nothing: 3,
  /** No collector answers. */
  away: 4,
} as const;

/** A command failed for a reason that its user can act on: the message is printed without a stack. */
export class CommandFailure extends Error {
  override readonly name = "CommandFailure";
  readonly exitCode: number;

  constructor(message: string, options: ErrorOptions & { readonly exitCode?: number } = {}) {
    super(message, options);
    this.exitCode = options.exitCode ?? EXIT.failed;
  }
}
