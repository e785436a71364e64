interface Figure {
  readonly name: string;
  readonly value: number;
  readonly isHigherBetter?: boolean;
}

export function judge(
  changed: Figure[][],
  baseline: Figure[][],
): { name: string; changed: number; baseline: number; loss: number; spread: number; isLost: boolean }[];

export function spreadOf(samples: readonly number[]): number;
