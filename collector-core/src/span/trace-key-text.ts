/** The key of a trace as one string. It is unique, since a tenant has no line break. */
export function traceKeyText({
  tenant,
  traceId,
}: {
  readonly tenant: string;
  readonly traceId: string;
}): string {
  return `${traceId}\n${tenant}`;
}
