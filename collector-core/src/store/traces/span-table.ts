/** The end of a chain, or nothing found. */
export const NO_ROW = -1;

/** The integers of a row. */
export const INT = {
  /** Where its bytes are; -1 in a free row. In a batch stored whole, `offset` is that of the batch. */
  segment: 0,
  offset: 1,
  /** `~index` if it is the span `index` of a batch. */
  length: 2,
  /** Length of the digest at the start of these bytes. */
  digestLength: 3,
  /** The next row of the same trace, by arrival; in a free row, the next free one of the page. */
  next: 4,
  /** Its position by arrival in its trace. */
  arrival: 5,
  idLo: 6,
  idHi: 7,
  parentLo: 8,
  parentHi: 9,
  startNanos: 10,
  flags: 11,
  /** Id of its labels. */
  labels: 12,
  /** Bytes charged to its segment. */
  chargedBytes: 13,
  /** Place of the span in a file; unused by the memory store. */
  chunk: 14,
  /** Its position in the chunk; unused by the memory store. */
  ordinal: 15,
} as const;
/** The integers of a row fill one cache line. */
const INT_FIELDS = 16;

/** The floats of a row; NaN if absent. */
export const FLOAT = {
  startEpochMs: 0,
  durationMs: 1,
  /** Wall clock at receipt: the start of a span without a start time. */
  receivedAtMs: 2,
  /** Monotonic clock at receipt. */
  seenAtMs: 3,
  tokensInput: 4,
  tokensOutput: 5,
  costUsd: 6,
  ttftMs: 7,
} as const;
const FLOAT_FIELDS = 8;

/** The flags of a span. */
export const FLAG = {
  running: 1,
  /** It failed by itself, not through a child. */
  failed: 2,
  countsUsage: 4,
  llm: 8,
  tool: 16,
  hasParent: 32,
  /** A child of type llm was dropped: it stays a wrapper. */
  wrapper: 64,
  /** A message has an image. */
  image: 128,
  /** A tool that returned nothing. */
  emptyToolOutput: 256,
  /** An evaluation with a score. */
  scored: 512,
  /** The collector computed its cost. */
  computedCost: 1024,
} as const;
/** A field of {@link INT}. */
export type IntField = (typeof INT)[keyof typeof INT];
/** A field of {@link FLOAT}. */
export type FloatField = (typeof FLOAT)[keyof typeof FLOAT];

const PAGE_SHIFT = 10;
const ROWS_PER_PAGE = 1 << PAGE_SHIFT;
const SLOT_MASK = ROWS_PER_PAGE - 1;
const FREE = -1;

/** The numbers of consecutive rows; those of a row start at {@link intsAt} and {@link floatsAt}. */
interface RowPage {
  readonly ints: Int32Array;
  readonly floats: Float64Array;
}

interface Page extends RowPage {
  firstFree: number;
  /** Slots from here on are unused. */
  usedSlots: number;
  rowCount: number;
}

/** Start of the integers of a row in its page. */
export function intsAt(row: number): number {
  return (row & SLOT_MASK) * INT_FIELDS;
}

/** Start of the floats of a row in its page. */
export function floatsAt(row: number): number {
  return (row & SLOT_MASK) * FLOAT_FIELDS;
}

/**
 * One row of numbers for each stored span, in pages outside the heap: five million spans are not five million objects.
 * A page without rows is freed.
 */
export class SpanTable {
  /** Size of a page. */
  static readonly PAGE_BYTES = ROWS_PER_PAGE * (INT_FIELDS * 4 + FLOAT_FIELDS * 8);

  readonly #pages: (Page | undefined)[] = [];
  readonly #freePageNumbers: number[] = [];
  /** Pages that may have a free row; checked when taken. */
  readonly #pagesWithRoom: number[] = [];
  #pageCount = 0;
  #rowCount = 0;

  get rowCount(): number {
    return this.#rowCount;
  }

  get bytes(): number {
    return this.#pageCount * SpanTable.PAGE_BYTES;
  }

  /** Allocates a row. Its fields are not cleared. */
  add(): number {
    const pageNumber = this.#pageWithRoom();
    const page = this.#page(pageNumber);
    let slot = page.firstFree;
    if (slot === NO_ROW) slot = page.usedSlots++;
    else page.firstFree = page.ints[slot * INT_FIELDS + INT.next] as number;
    page.rowCount++;
    this.#rowCount++;
    if (page.rowCount === ROWS_PER_PAGE) this.#pagesWithRoom.pop();
    return (pageNumber << PAGE_SHIFT) | slot;
  }

  remove(row: number): void {
    const pageNumber = row >>> PAGE_SHIFT;
    const page = this.#page(pageNumber);
    const slot = row & SLOT_MASK;
    page.ints[slot * INT_FIELDS + INT.segment] = FREE;
    page.ints[slot * INT_FIELDS + INT.next] = page.firstFree;
    page.firstFree = slot;
    if (page.rowCount === ROWS_PER_PAGE) this.#pagesWithRoom.push(pageNumber);
    page.rowCount--;
    this.#rowCount--;
    if (page.rowCount === 0) {
      this.#pages[pageNumber] = undefined;
      this.#freePageNumbers.push(pageNumber);
      this.#pageCount--;
    }
  }

  clear(): void {
    this.#pages.length = 0;
    this.#freePageNumbers.length = 0;
    this.#pagesWithRoom.length = 0;
    this.#pageCount = 0;
    this.#rowCount = 0;
  }

  int(row: number, field: IntField): number {
    return this.#page(row >>> PAGE_SHIFT).ints[(row & SLOT_MASK) * INT_FIELDS + field] as number;
  }

  setInt(row: number, field: IntField, value: number): void {
    this.#page(row >>> PAGE_SHIFT).ints[(row & SLOT_MASK) * INT_FIELDS + field] = value;
  }

  float(row: number, field: FloatField): number {
    return this.#page(row >>> PAGE_SHIFT).floats[(row & SLOT_MASK) * FLOAT_FIELDS + field] as number;
  }

  setFloat(row: number, field: FloatField, value: number): void {
    this.#page(row >>> PAGE_SHIFT).floats[(row & SLOT_MASK) * FLOAT_FIELDS + field] = value;
  }

  /** The page of a row, to access many of its numbers with one lookup. Valid until the row is removed. */
  page(row: number): RowPage {
    return this.#page(row >>> PAGE_SHIFT);
  }

  /** True if the row is in use and its bytes are there. */
  holds(row: number, segment: number, offset: number): boolean {
    const page = this.#pages[row >>> PAGE_SHIFT];
    if (page === undefined) return false;
    const at = (row & SLOT_MASK) * INT_FIELDS;
    return page.ints[at + INT.segment] === segment && page.ints[at + INT.offset] === offset;
  }

  #page(pageNumber: number): Page {
    const page = this.#pages[pageNumber];
    if (page === undefined) throw new Error(`No row in page ${pageNumber}.`);
    return page;
  }

  #pageWithRoom(): number {
    for (;;) {
      const last = this.#pagesWithRoom.at(-1);
      if (last === undefined) break;
      const page = this.#pages[last];
      if (page !== undefined && page.rowCount < ROWS_PER_PAGE) return last;
      this.#pagesWithRoom.pop();
    }
    const pageNumber = this.#freePageNumbers.pop() ?? this.#pages.length;
    const memory = new ArrayBuffer(SpanTable.PAGE_BYTES);
    const ints = new Int32Array(memory, 0, ROWS_PER_PAGE * INT_FIELDS);
    this.#pages[pageNumber] = {
      ints: ints.fill(FREE),
      floats: new Float64Array(memory, ints.byteLength, ROWS_PER_PAGE * FLOAT_FIELDS),
      firstFree: NO_ROW,
      usedSlots: 0,
      rowCount: 0,
    };
    this.#pageCount++;
    this.#pagesWithRoom.push(pageNumber);
    return pageNumber;
  }
}
