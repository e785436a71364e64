interface Named {
  readonly name: string;
}

/** All cells of the matrix, row by row. */
export const CELLS: readonly {
  readonly runtime: Named;
  readonly form: Named;
  readonly limit: string | undefined;
}[];
