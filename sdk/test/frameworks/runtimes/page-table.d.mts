/** Puts the table of the matrix into the page. */
export function withTable(page: string): string;
