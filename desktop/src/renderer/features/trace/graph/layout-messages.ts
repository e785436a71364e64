/** A graph as the layout needs it. */
export interface LayoutRequest {
  readonly id: number;
  readonly boxes: readonly { readonly id: string; readonly height: number; readonly layer: number }[];
  readonly edges: readonly {
    readonly id: string;
    readonly from: string;
    readonly to: string;
    /** How many layers the edge spans. */
    readonly layers: number;
  }[];
}

/** Where the layout puts things, from the top. */
export interface LayoutAnswer {
  readonly id: number;
  /** The top of each box. */
  readonly tops: Readonly<Record<string, number>>;
  /** Where each edge crosses the layers between its ends. */
  readonly channels: Readonly<Record<string, readonly number[]>>;
  readonly height: number;
}
