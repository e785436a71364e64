/** `18,002`. */
export function whole(count: number): string {
  return count.toLocaleString("en-US");
}

/** `1 span`, `18,002 spans`. */
export function counted(count: number, what: string): string {
  return `${whole(count)} ${what}${count === 1 ? "" : "s"}`;
}
