/** Long work that stops after each piece, so that whoever runs it can let others have their turn. */
export type Steps<Result> = Generator<undefined, Result>;
