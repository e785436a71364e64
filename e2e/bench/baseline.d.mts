interface Figure {
  readonly name: string;
  readonly value: number;
  readonly isHigherBetter?: boolean;
}

interface JudgedFigure {
  readonly name: string;
  readonly changed: number;
  readonly baseline: number;
  readonly loss: number;
  readonly spread: number;
  readonly isLost: boolean;
}

export const STARTS: { readonly least: number; readonly usual: number; readonly most: number };

export function compareWithBaseline<Results>(
  part: {
    readonly measure: (checkout?: string) => Promise<Results>;
    readonly figures: (results: Results) => Figure[];
  },
  options: { readonly baseline: string; readonly starts: number },
): Promise<{
  figures: JudgedFigure[];
  notInBaseline: string[];
  samples: { this: Results[]; baseline: Results[] };
}>;

export function judge(changed: Figure[][], baseline: Figure[][]): JudgedFigure[];

export function spreadOf(samples: readonly number[]): number;
