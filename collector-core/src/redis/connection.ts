import { RedisClient, RESP_TYPES } from "@redis/client";
import { errorMessage } from "../runtime/describe-error.js";
import type { Script } from "./script.js";

/** An argument of a command. */
export type Argument = string | Buffer;

/** A reply: texts are bytes. */
export type Reply = null | number | Buffer | readonly Reply[];

/** The items of a reply; none if it is no list. */
export function listOf(reply: Reply | undefined): readonly Reply[] {
  return Array.isArray(reply) ? (reply as readonly Reply[]) : [];
}

/** Options of {@link createConnection}. */
export interface ConnectionOptions {
  readonly url: string;
  /** Named in Redis' list of clients. */
  readonly name: string;
  /** Called when the connection is lost or cannot be made, again and again. */
  readonly onFailure: (message: string) => void;
  readonly onReady: () => void;
  /** A channel to listen to. The connection then takes no commands. */
  readonly subscription?: { readonly channel: string; readonly onMessage: (text: string) => void };
}

/**
 * A connection to Redis that connects again by itself. A command fails at once while it is not connected. One that has become a replica of
 * another Redis is left: after a failover the address leads to the new one, but connections stay where they are.
 */
export interface Connection {
  open(): void;
  command(args: readonly Argument[]): Promise<Reply>;
  run(script: Script, keys: readonly string[], args: readonly Argument[]): Promise<Reply>;
  /** Gives up a connection that does not answer, and makes a new one; does nothing after `close()`. */
  reset(): void;
  close(): void;
}

/** A Redis that takes no writes is left this often: the address may lead there for a while. */
const LEAVE_EVERY_MS = 1000;
/** A short wait, longer after each failure. */
const RECONNECT_MS = { first: 50, longest: 1000 };

const SOCKET = {
  connectTimeout: 5000,
  reconnectStrategy: (retries: number) =>
    Math.min(RECONNECT_MS.first * 2 ** Math.min(retries, 10), RECONNECT_MS.longest),
  // With the default of Node, four batches fill the buffer, and each four are a system call.
  writableHighWaterMark: 1024 * 1024,
};

const PROTOCOL = { RESP: 2 } as const;
/**
 * Creates clients of one class. `createClient` builds a class with all commands of Redis for each client whose options differ from
 * those of the client before, which takes 25 ms.
 */
const newClient = RedisClient.factory(PROTOCOL);

export function createConnection(options: ConnectionOptions): Connection {
  const { url, name, onFailure, onReady, subscription } = options;
  let client: ReturnType<typeof connect> | undefined;
  let leaving: NodeJS.Timeout | undefined;

  function connect() {
    const created = newClient({
      url,
      name,
      ...PROTOCOL,
      disableOfflineQueue: true,
      disableClientInfo: true,
      // The client adds the address.
      socket: { ...SOCKET },
      // Answers are waited for by `within`; the client's own timer is for commands that it has not sent.
      commandOptions: { timeout: 0, typeMapping: { [RESP_TYPES.BLOB_STRING]: Buffer } },
    });
    created.on("error", (error: unknown) => onFailure(errorMessage(error)));
    created.on("ready", onReady);
    // Every failure is an event too.
    created
      .connect()
      .then(() => subscription && created.subscribe(subscription.channel, subscription.onMessage))
      .catch(() => undefined);
    return created;
  }

  async function command(args: readonly Argument[]): Promise<Reply> {
    if (client === undefined) throw new Error("The connection is closed.");
    try {
      return await client.sendCommand<Reply>(args);
    } catch (error) {
      if (errorMessage(error).startsWith("READONLY")) leaving ??= setTimeout(reset, LEAVE_EVERY_MS).unref();
      throw error;
    }
  }

  function reset(): void {
    if (client === undefined) return;
    close();
    client = connect();
  }

  function close(): void {
    clearTimeout(leaving);
    leaving = undefined;
    if (client?.isOpen === true) client.destroy();
    client = undefined;
  }

  return {
    open: () => void (client ??= connect()),
    command,
    async run({ source, sha }, keys, args) {
      const rest = [String(keys.length), ...keys, ...args];
      try {
        return await command(["EVALSHA", sha, ...rest]);
      } catch (error) {
        // Redis was restarted, or has not seen the script yet.
        if (!errorMessage(error).startsWith("NOSCRIPT")) throw error;
        return await command(["EVAL", source, ...rest]);
      }
    },
    reset,
    close,
  };
}
