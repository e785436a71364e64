/** A program that npx installs from its npm package, and caches. */
export interface NpxProgram {
  readonly package: string;
  readonly printPath: readonly string[];
}

/** The path of the program. */
export function programOf(program: NpxProgram): Promise<string>;
