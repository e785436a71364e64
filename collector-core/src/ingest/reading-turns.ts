import type { Socket } from "node:net";
import { onNextTurn } from "../runtime/loop-turn.js";

/** Short chunks that are parsed in one turn of the event loop, about 6 ms of work. */
const MAX_PER_TURN = 2048;
/** Held connections without short chunks that are released in one turn. */
const OTHERS_PER_TURN = 16;
/** A connection is recent for this many releases after it was opened. */
const RECENT_TURNS = 4;

/** A connection whose reading can be held. */
export interface ReadConnection {
  /** Counts a short chunk. */
  count(): void;
  /** Calls back when the connection may be read: at once, or after it is released. */
  whenReadable(read: () => void): void;
}

/** Divides the parsing of short chunks among the turns of the event loop. */
export interface ReadingTurns {
  /** Adds a connection until it closes. */
  add(socket: Socket): void;
  /** The connection of a request; undefined if it was not added or has closed. */
  of(socket: Socket): ReadConnection | undefined;
}

/**
 * Node reads up to 2 MiB from each readable connection in one turn of the event loop, and parses each chunk of a body in
 * about 3 µs. When the short chunks of a turn exceed their number, no connection is read until the next turn. Then the
 * connections are released a few at a time, so that a probe waits for one of them and not for all.
 *
 * Holds only references to connections, of which the server limits the number.
 */
export function createReadingTurns(): ReadingTurns {
  const connections = new Map<Socket, Connection>();
  /** Connections with short chunks in this turn. */
  let counted: Connection[] = [];
  let countOfTurn = 0;
  /** Held connections that have not sent short chunks, the newest last. */
  const heldOthers = new Set<Connection>();
  /** Held connections that have sent short chunks, the next to be read first. */
  const held = new Set<Connection>();
  let isReleasing = false;
  /** Counts releases. */
  let cycle = 0;

  function count(connection: Connection): void {
    if (countOfTurn++ === 0) setImmediate(endTurn);
    if (connection.countOfTurn++ === 0) counted.push(connection);
    // Node resumes connections itself, for example after a request. Those are held with the next chunks.
    if (countOfTurn % MAX_PER_TURN === 0) holdAll();
  }

  function endTurn(): void {
    for (const connection of counted) {
      connection.latestCount = connection.countOfTurn;
      connection.countOfTurn = 0;
    }
    countOfTurn = 0;
    counted = [];
  }

  function holdAll(): void {
    const readInTurn: Connection[] = [];
    for (const connection of connections.values()) {
      if (connection.countOfTurn > 0) readInTurn.push(connection);
      else hold(connection);
    }
    for (const connection of readInTurn) hold(connection);
    releaseNext();
  }

  function hold(connection: Connection): void {
    // A paused connection waits for the reader of its body.
    if (connection.isHeld || connection.socket.isPaused()) return;
    connection.hold();
    (connection.countOfTurn + connection.latestCount > 0 ? held : heldOthers).add(connection);
  }

  /** Releases some connections in each turn. New connections are accepted first; they are held meanwhile. */
  function releaseNext(): void {
    if (isReleasing) return;
    isReleasing = true;
    onNextTurn(() => {
      isReleasing = false;
      cycle++;
      for (const connection of nextOthers()) release(connection);
      let expected = 0;
      for (const connection of held) {
        expected += connection.latestCount;
        if (expected > MAX_PER_TURN && expected > connection.latestCount) break;
        release(connection);
      }
      if (held.size + heldOthers.size > 0) releaseNext();
    });
  }

  /**
   * Probes open new connections. The newest come first, so that a probe does not wait for all connections that were opened
   * at once. In every second turn the recent ones come in their order, so that it does not wait for those after it.
   */
  function nextOthers(): readonly Connection[] {
    const others = [...heldOthers];
    const newestFirst = others.toReversed();
    if (cycle % 2 === 0) return newestFirst.slice(0, OTHERS_PER_TURN);
    const recent = others.filter(({ addedIn }) => addedIn >= cycle - RECENT_TURNS);
    return (recent.length > 0 ? recent : newestFirst).slice(0, OTHERS_PER_TURN);
  }

  function release(connection: Connection): void {
    held.delete(connection);
    heldOthers.delete(connection);
    connection.release();
  }

  return {
    add(socket) {
      const connection = new Connection(socket, cycle, count);
      connections.set(socket, connection);
      if (isReleasing) hold(connection);
      socket.once("close", () => {
        connections.delete(socket);
        held.delete(connection);
        heldOthers.delete(connection);
      });
    },
    of: (socket) => connections.get(socket),
  };
}

class Connection implements ReadConnection {
  readonly socket: Socket;
  /** The release before the connection was added. */
  readonly addedIn: number;
  readonly #onShortChunk: (connection: Connection) => void;
  isHeld = false;
  countOfTurn = 0;
  /** Short chunks in the latest turn that had any. */
  latestCount = 0;
  #read: (() => void) | undefined;

  constructor(socket: Socket, addedIn: number, onShortChunk: (connection: Connection) => void) {
    this.socket = socket;
    this.addedIn = addedIn;
    this.#onShortChunk = onShortChunk;
    // A resumption that was scheduled before the hold still takes effect. Node stops reading on this event.
    socket.on("resume", () => {
      if (this.isHeld) socket.emit("pause");
    });
  }

  count(): void {
    this.#onShortChunk(this);
  }

  hold(): void {
    this.isHeld = true;
    this.socket.pause();
  }

  whenReadable(read: () => void): void {
    if (this.isHeld) this.#read = read;
    else read();
  }

  release(): void {
    this.isHeld = false;
    const read = this.#read;
    this.#read = undefined;
    this.socket.resume();
    read?.();
  }
}
