import type { Socket } from "node:net";
import type { Clock } from "../runtime/clock.js";
import { onNextTurn } from "../runtime/loop-turn.js";
import { SlicedReading } from "./sliced-reading.js";

/** Short chunks that are parsed in one turn of the event loop before connections are read in slices, about 6 ms of work. */
const MAX_PER_TURN = 2048;
/** Time that the parsing of slices may take in one turn. */
const SLICES_MS = 5;
/** New connections are read in slices for this long after the latest costly bytes. */
const COSTLY_MS = 2000;
/** A connection that is read in slices is costly after this many short chunks. */
const COSTLY_CHUNKS = 128;
/** First bytes of a connection that are few enough for one slice, such as those of a probe. */
const BRIEF_BYTES = 1024;

/** A connection whose costly bytes are counted. */
export interface ReadConnection {
  /** Counts work as a number of short chunks, each about 3 µs. */
  count(chunks: number): void;
}

/** Divides the reading of connections among the turns of the event loop. */
export interface ReadingTurns {
  /** Adds a connection until it closes. */
  add(socket: Socket): void;
  /** The connection of a request; undefined if it was not added or has closed. */
  of(socket: Socket): ReadConnection | undefined;
}

/**
 * Keeps a probe from waiting for the costly bytes of other connections. Node reads up to 2 MiB from each readable connection
 * in one turn of the event loop, and parses each chunk of a body in about 3 µs. When the short chunks of a turn exceed
 * their number, all connections are read in slices, and for a while all new ones: opening connections again and again
 * does not evade the limit.
 *
 * Holds references to connections, of which the server limits the number, and at most 64 KiB of each.
 */
export function createReadingTurns(clock: Pick<Clock, "monotonic">): ReadingTurns {
  const connections = new Map<Socket, Connection>();
  /** Connections of which no slice has been parsed and that sent few bytes, the next one first. */
  const brief = new Set<Connection>();
  /** Other connections of which no slice has been parsed, the next one first. */
  const fresh = new Set<Connection>();
  /** Connections with more slices to parse, the next one first. */
  const begun = new Set<Connection>();
  let countOfTurn = 0;
  let costlyUntilMs = Number.NEGATIVE_INFINITY;
  let isScheduled = false;
  /** Counts the choices among the three. */
  let choices = 0;

  function count(connection: Connection, chunks: number): void {
    connection.chunks += chunks;
    if (connection.slices !== undefined) {
      connection.slices.wasCostly();
      if (connection.chunks > COSTLY_CHUNKS) costlyUntilMs = clock.monotonic() + COSTLY_MS;
      return;
    }
    if (countOfTurn === 0) setImmediate(() => void (countOfTurn = 0));
    countOfTurn += chunks;
    if (countOfTurn < MAX_PER_TURN) return;
    costlyUntilMs = clock.monotonic() + COSTLY_MS;
    for (const each of connections.values()) slice(each);
  }

  function slice(connection: Connection): void {
    connection.slices ??= new SlicedReading(connection.socket, () => addSlices(connection));
  }

  function addSlices(connection: Connection): void {
    setOf(connection).add(connection);
    schedule();
  }

  function setOf({ isParsed, slices }: Connection): Set<Connection> {
    if (isParsed) return begun;
    return slices !== undefined && slices.restBytes <= BRIEF_BYTES ? brief : fresh;
  }

  function schedule(): void {
    if (isScheduled) return;
    isScheduled = true;
    // New connections are accepted first.
    onNextTurn(parseSlices);
  }

  function parseSlices(): void {
    isScheduled = false;
    const endsAtMs = clock.monotonic() + SLICES_MS;
    do {
      const connection = takeNext();
      if (connection === undefined) return;
      parseSlice(connection);
    } while (clock.monotonic() < endsAtMs);
    if (brief.size + fresh.size + begun.size > 0) schedule();
  }

  function parseSlice(connection: Connection): void {
    const { socket, slices } = connection;
    if (slices === undefined || socket.destroyed) return;
    // The body waits for its reader, who resumes the connection.
    if (socket.isPaused()) {
      connection.isPaused = true;
      return;
    }
    connection.isParsed = true;
    slices.parseNext();
    if (slices.hasRest) addSlices(connection);
  }

  /**
   * A probe opens a connection, and its request has few bytes. In every second choice such connections come first, so that
   * a probe does not wait for all that were opened before it with more bytes. Others come in between, so that none waits
   * for ever.
   */
  function takeNext(): Connection | undefined {
    const choice = choices++ % 4;
    const next =
      choice % 2 === 0
        ? (firstOf(brief) ?? firstOf(fresh) ?? firstOf(begun))
        : choice === 1
          ? (firstOf(fresh) ?? firstOf(brief) ?? firstOf(begun))
          : (firstOf(begun) ?? firstOf(fresh) ?? firstOf(brief));
    if (next !== undefined) forget(next);
    return next;
  }

  function forget(connection: Connection): void {
    brief.delete(connection);
    fresh.delete(connection);
    begun.delete(connection);
  }

  return {
    add(socket) {
      const connection = new Connection(socket, count);
      connections.set(socket, connection);
      if (clock.monotonic() < costlyUntilMs) slice(connection);
      socket.on("resume", () => {
        if (!connection.isPaused) return;
        connection.isPaused = false;
        addSlices(connection);
      });
      socket.once("close", () => {
        connections.delete(socket);
        forget(connection);
        connection.slices?.clear();
      });
    },
    of: (socket) => connections.get(socket),
  };
}

function firstOf<T>(set: ReadonlySet<T>): T | undefined {
  return set.values().next().value;
}

class Connection implements ReadConnection {
  readonly socket: Socket;
  readonly #onCount: (connection: Connection, chunks: number) => void;
  slices: SlicedReading | undefined;
  /** All short chunks. */
  chunks = 0;
  /** True if a slice was parsed. */
  isParsed = false;
  /** True if the reader of the body paused it while there were slices to parse. */
  isPaused = false;

  constructor(socket: Socket, onCount: (connection: Connection, chunks: number) => void) {
    this.socket = socket;
    this.#onCount = onCount;
  }

  count(chunks: number): void {
    this.#onCount(this, chunks);
  }
}
