import { mkdir, readFile } from "node:fs/promises";
import { dirname } from "node:path";
import { errorCode } from "../../runtime/describe-error.js";
import { CommandFailure } from "../command-failure.js";
import { readSettingsFile, removeFile, replaceFile } from "../settings/settings-file.js";
import type { Setting, SettingPath } from "../settings/settings-format.js";

/** What `obspan connect` has written to one file: an undo removes that, and nothing else. */
export interface Connection {
  readonly agent: string;
  readonly scope: string;
  /** The file itself, without symbolic links. */
  readonly file: string;
  readonly kind: "settings" | "skill";
  /** Digests of the bytes before and after; `before` is null if there was no file. */
  readonly before: string | null;
  readonly after: string;
  readonly settings: readonly Setting[];
  /** Tables that were made for the settings. */
  readonly tables: readonly SettingPath[];
  /** Directories that were made for the file, the outermost first. */
  readonly directories: readonly string[];
}

/** The list of the connections of this user, in a file of their own. */
export class Connections {
  readonly #path: string;
  readonly #list: Connection[];

  /** {@link open} reads the list. */
  constructor(path: string, list: readonly Connection[]) {
    this.#path = path;
    this.#list = [...list];
  }

  /** @throws CommandFailure if the file is damaged. */
  static async open(path: string): Promise<Connections> {
    let text: string;
    try {
      text = await readFile(path, "utf8");
    } catch (error) {
      if (errorCode(error) === "ENOENT") return new Connections(path, []);
      throw new CommandFailure(`${path} cannot be read: ${String(error)}`, { cause: error });
    }
    try {
      const { connections } = JSON.parse(text) as { connections: unknown };
      if (!Array.isArray(connections) || !connections.every(isConnection)) throw new Error("not a list");
      return new Connections(path, connections);
    } catch (error) {
      throw new CommandFailure(
        `${path}, which says what obspan connect has written, is damaged. Remove it, and the values by hand.`,
        { cause: error },
      );
    }
  }

  of(file: string): Connection | undefined {
    return this.#list.find((connection) => connection.file === file);
  }

  /** The files that an agent was connected in, in the order in which they were written. */
  filesOf(agent: string, scope: string): readonly Connection[] {
    return this.#list.filter((connection) => connection.agent === agent && connection.scope === scope);
  }

  async put(connection: Connection): Promise<void> {
    const index = this.#list.findIndex(({ file }) => file === connection.file);
    this.#list.splice(index === -1 ? this.#list.length : index, 1, connection);
    await this.#save();
  }

  async remove(file: string): Promise<void> {
    const index = this.#list.findIndex((connection) => connection.file === file);
    if (index === -1) return;
    this.#list.splice(index, 1);
    await this.#save();
  }

  async #save(): Promise<void> {
    const directory = dirname(this.#path);
    await mkdir(directory, { recursive: true });
    const file = await readSettingsFile(this.#path, [directory]);
    if (this.#list.length === 0) {
      await removeFile(file.target, [directory]);
      return;
    }
    const lines = this.#list.map((connection) => JSON.stringify(connection)).join(",\n");
    const text = `{"connections":[\n${lines}\n]}\n`;
    await replaceFile(file, Buffer.from(text));
  }
}

function isConnection(value: unknown): value is Connection {
  if (typeof value !== "object" || value === null) return false;
  const { file, after, settings, tables, directories } = value as Partial<Record<keyof Connection, unknown>>;
  return (
    typeof file === "string" &&
    typeof after === "string" &&
    Array.isArray(settings) &&
    Array.isArray(tables) &&
    Array.isArray(directories)
  );
}
