/** The shape of a status: a dot, a diamond or a ring, so that it is told without colour. */
export function StatusDot({ status, name }: { status: string; name?: string }) {
  const kind = STATUS_KINDS[status] ?? "plain";
  const label = name ?? status;
  return <i className={`dot ${kind}`} role="img" aria-label={label} title={label} />;
}

const STATUS_KINDS: Readonly<Record<string, string>> = {
  OK: "ok",
  ERROR: "error",
  RUNNING: "running",
  ABANDONED: "warn",
};
