import type { BaseSequencer } from "vitest/node";

export function startWith(root: string, files: readonly string[]): typeof BaseSequencer;
