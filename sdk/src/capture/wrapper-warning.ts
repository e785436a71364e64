import { warnOnce } from "../warnings.js";

/** Warns that a wrapper or decorator was used on something that it cannot record. */
export function warnWrapper(spanType: string): void {
  // The wrapper of spans without a kind is public as `observe`.
  const name = spanType === "span" ? "observe" : spanType;
  warnOnce(
    `wrapper:${spanType}`,
    `@${name} decorates methods only, and ${name}("name", fn) wraps functions: nothing else is recorded.`,
  );
}
