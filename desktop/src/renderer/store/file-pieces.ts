/** Bytes per request: each must arrive within the collector's time limit, and its answer shows progress. */
const PIECE_BYTES = 8 * 2 ** 20;
const NEWLINE = 0x0a;

/** Complete lines of a file. */
export interface FilePiece {
  readonly bytes: Blob;
  /** Lines of the file before this piece. */
  readonly linesBefore: number;
  /** Position of its end in the file, in bytes. */
  readonly endByte: number;
}

/** Splits a file at line ends into pieces of about the same size. A longer line is a piece of its own. */
export async function* filePieces(file: Blob, pieceBytes = PIECE_BYTES): AsyncGenerator<FilePiece> {
  let start = 0;
  let linesBefore = 0;
  while (start < file.size) {
    let wanted = pieceBytes;
    let bytes = await read(file, start, wanted);
    let length = bytes.lastIndexOf(NEWLINE) + 1;
    while (length === 0 && start + bytes.length < file.size) {
      wanted *= 2;
      bytes = await read(file, start, wanted);
      length = bytes.lastIndexOf(NEWLINE) + 1;
    }
    // The last line may have no newline.
    if (start + bytes.length === file.size) length = bytes.length;
    const endByte = start + length;
    yield { bytes: file.slice(start, endByte), linesBefore, endByte };
    linesBefore += countLines(bytes.subarray(0, length));
    start = endByte;
  }
}

async function read(file: Blob, start: number, length: number): Promise<Uint8Array> {
  return new Uint8Array(await file.slice(start, start + length).arrayBuffer());
}

function countLines(bytes: Uint8Array): number {
  let count = 0;
  for (let at = bytes.indexOf(NEWLINE); at !== -1; at = bytes.indexOf(NEWLINE, at + 1)) count++;
  return count;
}
