/** What one check has found. */
export interface Finding {
  /** What was looked at: `address`, `key`, `clock`, … */
  readonly check: string;
  readonly status: "ok" | "warning" | "problem";
  /** One sentence. */
  readonly message: string;
  /** What to do, as a sentence. */
  readonly remedy?: string;
}

/** A check went well. */
export function ok(check: string, message: string): Finding {
  return { check, status: "ok", message };
}

/** Something that may be the reason, or that somebody may want. */
export function warning(check: string, message: string, remedy: string): Finding {
  return { check, status: "warning", message, remedy };
}

/** A reason why nothing arrives. */
export function problem(check: string, message: string, remedy: string): Finding {
  return { check, status: "problem", message, remedy };
}
