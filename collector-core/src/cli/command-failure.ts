/** A command failed for a reason that its user can act on: the message is printed without a stack. */
export class CommandFailure extends Error {
  override readonly name = "CommandFailure";
}
