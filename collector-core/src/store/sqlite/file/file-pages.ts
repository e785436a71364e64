import type { TraceFile } from "../open-trace-file.js";

/** Types of entries of pointer maps: what a page is. */
const ROOT_PAGE = 1;
const FREE_PAGE = 2;
const FIRST_OVERFLOW_PAGE = 3;
const OVERFLOW_PAGE = 4;
const TREE_PAGE = 5;
const POINTER_BYTES = 5;

/** Types of pages of b-trees. */
const INDEX_NODE = 2;
const TABLE_NODE = 5;
const INDEX_LEAF = 10;
const TABLE_LEAF = 13;

/** SQLite locks bytes here and stores nothing in their page. On Windows, no other descriptor may read a locked byte. */
export const LOCKED_PAGE_AT = 0x40000000;

const NO_PAGES: ReadonlySet<number> = new Set();

/** As many as the largest page has. */
const ZEROS = Buffer.alloc(65_536);

/** A row's bytes that do not fit into the page of a b-tree. */
interface Overflow {
  readonly firstPage: number;
  readonly bytes: number;
}

/**
 * The pages of a trace file past SQLite, as the last checkpoint has left them. The format is at
 * https://www.sqlite.org/fileformat2.html. What does not follow it is damaged, and stays as it is.
 */
export class FilePages {
  readonly #file: TraceFile;
  readonly #pageBytes: number;
  /** Of a page, without the bytes that its end reserves. */
  readonly #usableBytes: number;
  /** By number of page. */
  readonly #types: Uint8Array;
  /** The page that follows an overflow page; 0 for none. */
  readonly #next: Uint32Array;
  readonly #page: Buffer;
  /** The bytes of each free page that SQLite uses: the numbers of other free pages. */
  readonly #usedOfFree: ReadonlyMap<number, number>;
  /** Steps between overflow pages. In a sound file each page is the next of one; a damaged one may have cycles. */
  #stepsLeft: number;
  #hasWritten = false;

  constructor(file: TraceFile) {
    this.#file = file;
    this.#pageBytes = file.pageBytes;
    this.#page = Buffer.alloc(file.pageBytes);
    this.#read(1);
    this.#usableBytes = this.#pageBytes - this.#page.readUInt8(20);
    const count = this.#page.readUInt32BE(28);
    this.#types = new Uint8Array(count + 1);
    this.#next = new Uint32Array(count + 1);
    this.#stepsLeft = count;
    const firstFree = this.#page.readUInt32BE(32);
    this.#readPointerMaps(count);
    this.#usedOfFree = this.#readFreeList(firstFree);
  }

  /** The numbers of the pages of b-trees. Their overflow pages belong to them. */
  *treePages(): Generator<number> {
    for (const [page, type] of this.#types.entries())
      if (type === ROOT_PAGE || type === TREE_PAGE) yield page;
  }

  /** The numbers of the free pages. */
  freePages(): Iterable<number> {
    return this.#usedOfFree.keys();
  }

  /**
   * Overwrites what a free page, a page of a b-tree with its overflow pages, or the last overflow page of a row does not use. Leaves
   * other pages as they are.
   *
   * @param written - the pages that the write-ahead log has in place of those of the file. None of them is overwritten.
   * @returns false if one of them has to be.
   */
  eraseUnused(number: number, written: ReadonlySet<number> = NO_PAGES): boolean {
    if (written.has(number)) return false;
    const used = this.#usedOfFree.get(number);
    if (used === undefined) return this.#eraseUnusedOfTree(this.#treePageOf(number), written);
    if (this.#read(number)) this.#erase(number, used, this.#usableBytes);
    return true;
  }

  #eraseUnusedOfTree(number: number, written: ReadonlySet<number>): boolean {
    if (written.has(number)) return false;
    const type = this.#types[number];
    if ((type !== ROOT_PAGE && type !== TREE_PAGE) || !this.#read(number)) return true;
    const page = this.#page;
    const isLeaf = page[0] === INDEX_LEAF || page[0] === TABLE_LEAF;
    if (!isLeaf && page[0] !== INDEX_NODE && page[0] !== TABLE_NODE) return true;
    const cells = page.readUInt16BE(3);
    const contentAt = page.readUInt16BE(5) || 65_536;
    const pointersAt = isLeaf ? 8 : 12;
    const unusedAt = pointersAt + 2 * cells;
    if (unusedAt > contentAt || contentAt > this.#usableBytes) return true;
    const overflows = new Array<Overflow>();
    if (page[0] !== TABLE_NODE)
      for (let at = pointersAt; at < unusedAt; at += 2) {
        const overflow = this.#overflowOf(page.readUInt16BE(at));
        if (overflow !== undefined) overflows.push(overflow);
      }
    this.#erase(number, unusedAt, contentAt);
    let isDone = true;
    for (const overflow of overflows) if (!this.#eraseEnd(overflow, written)) isDone = false;
    return isDone;
  }

  /** The page of a b-tree with the row whose last overflow page this is. Otherwise the page itself. */
  #treePageOf(number: number): number {
    if (!this.#isOverflow(number) || !this.#read(number) || this.#page.readUInt32BE(0) !== 0) return number;
    let page = number;
    while (this.#isOverflow(page) && --this.#stepsLeft > 0) page = this.#parentOf(page);
    return page;
  }

  #isOverflow(number: number): boolean {
    const type = this.#types[number];
    return type === FIRST_OVERFLOW_PAGE || type === OVERFLOW_PAGE;
  }

  /** Returns when what was erased is on the disk. */
  sync(): void {
    if (this.#hasWritten) this.#file.syncRaw();
    this.#hasWritten = false;
  }

  /** What the cell at a place of the page has in overflow pages. */
  #overflowOf(at: number): Overflow | undefined {
    const page = this.#page;
    const usable = this.#usableBytes;
    const isTable = page[0] === TABLE_LEAF;
    const size = readVarint(page, at + (page[0] === INDEX_NODE ? 4 : 0));
    const payloadAt = isTable ? readVarint(page, size.end).end : size.end;
    const most = isTable ? usable - 35 : Math.floor(((usable - 12) * 64) / 255) - 23;
    if (size.value <= most) return undefined;
    const least = Math.floor(((usable - 12) * 32) / 255) - 23;
    const wanted = least + ((size.value - least) % (usable - 4));
    const local = wanted <= most ? wanted : least;
    if (payloadAt + local + 4 > usable) return undefined;
    return { firstPage: page.readUInt32BE(payloadAt + local), bytes: size.value - local };
  }

  /** Overwrites what follows the overflow of a row in its last page. @returns false if the log has that page. */
  #eraseEnd({ firstPage, bytes }: Overflow, written: ReadonlySet<number>): boolean {
    const perPage = this.#usableBytes - 4;
    if (this.#types[firstPage] !== FIRST_OVERFLOW_PAGE) return true;
    let last = firstPage;
    let left = bytes;
    for (; left > perPage; left -= perPage) {
      last = this.#next[last] ?? 0;
      if (last === 0 || --this.#stepsLeft < 0) return true;
    }
    if (written.has(last)) return false;
    if (this.#read(last) && this.#page.readUInt32BE(0) === 0) this.#erase(last, 4 + left, this.#usableBytes);
    return true;
  }

  /** Overwrites bytes of the page that was read last. */
  #erase(number: number, from: number, to: number): void {
    const unused = this.#page.subarray(from, to);
    if (unused.equals(ZEROS.subarray(0, unused.length))) return;
    unused.fill(0);
    this.#file.writeRaw(unused, (number - 1) * this.#pageBytes + from);
    this.#hasWritten = true;
  }

  /** @returns false if the file has no such page. */
  #read(number: number): boolean {
    return this.#file.readRaw(this.#page, (number - 1) * this.#pageBytes) === this.#pageBytes;
  }

  /** The format is at https://www.sqlite.org/fileformat2.html#the_freelist. */
  #readFreeList(first: number): Map<number, number> {
    const used = new Map<number, number>();
    const page = this.#page;
    for (let trunk = first; this.#types[trunk] === FREE_PAGE && !used.has(trunk) && this.#read(trunk);) {
      const leaves = page.readUInt32BE(4);
      const end = 8 + 4 * leaves;
      if (end > this.#usableBytes) break;
      used.set(trunk, end);
      for (let at = 8; at < end; at += 4) {
        const leaf = page.readUInt32BE(at);
        if (this.#types[leaf] === FREE_PAGE && !used.has(leaf)) used.set(leaf, 0);
      }
      trunk = page.readUInt32BE(0);
    }
    return used;
  }

  #readPointerMaps(count: number): void {
    const perMap = this.#pagesPerMap;
    for (let at = 2; at <= count; at += perMap + 1) {
      const map = this.#mapAt(at);
      if (!this.#read(map)) return;
      for (let entry = 0; entry < perMap && map + 1 + entry <= count; entry++) {
        const page = map + 1 + entry;
        const type = this.#page.readUInt8(entry * POINTER_BYTES);
        const parent = this.#page.readUInt32BE(entry * POINTER_BYTES + 1);
        this.#types[page] = type;
        if (type === OVERFLOW_PAGE && parent <= count) this.#next[parent] = page;
      }
    }
  }

  /** The page before an overflow page: of its row, or of the b-tree. */
  #parentOf(page: number): number {
    const map = this.#mapAt(page - ((page - 2) % (this.#pagesPerMap + 1)));
    if (!this.#read(map)) return 0;
    return this.#page.readUInt32BE((page - map - 1) * POINTER_BYTES + 1);
  }

  get #pagesPerMap(): number {
    return Math.floor(this.#usableBytes / POINTER_BYTES);
  }

  /** The page of a pointer map, which is not where SQLite locks bytes. */
  #mapAt(page: number): number {
    return page === LOCKED_PAGE_AT / this.#pageBytes + 1 ? page + 1 : page;
  }
}

/** A number of one to nine bytes. */
function readVarint(bytes: Uint8Array, at: number): { readonly value: number; readonly end: number } {
  let value = 0;
  for (let index = 0; index < 8; index++) {
    const byte = bytes[at + index] ?? 0;
    value = value * 128 + (byte & 127);
    if (byte < 128) return { value, end: at + index + 1 };
  }
  return { value: value * 256 + (bytes[at + 8] ?? 0), end: at + 9 };
}
