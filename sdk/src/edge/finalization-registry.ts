/** Cloudflare Workers has it since the compatibility date 2025-05-05. Without it, spans of abandoned streams do not end. */
const Registry: typeof globalThis.FinalizationRegistry =
  (globalThis as { readonly FinalizationRegistry?: typeof globalThis.FinalizationRegistry })
    .FinalizationRegistry ??
  class {
    readonly [Symbol.toStringTag] = "FinalizationRegistry";
    register(): void {
      // Nothing is told.
    }
    unregister(): boolean {
      return false;
    }
  };

export { Registry as FinalizationRegistry };
