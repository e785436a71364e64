/** The bytes of a closed step cannot be read. */
export class DamagedStepError extends Error {
  override readonly name = "DamagedStepError";

  constructor(problem: string) {
    super(`The closed step is damaged: ${problem}.`);
  }
}
