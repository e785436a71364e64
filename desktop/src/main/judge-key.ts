import { whenFree, writePrivateFile } from "@obspan/collector-core";
import { safeStorage, type BrowserWindow, type MessageBoxOptions } from "electron";
import { readFileSync } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { Type, type Static } from "typebox";
import { Value } from "typebox/value";
import type { JudgeKeyState } from "../shared/bridge.js";
import { askUser } from "./ask-user.js";

/** The variable that sets the key where there is no app. */
export const JUDGE_KEY_VARIABLE = "OBS_SERVER_EVALUATION_JUDGE_API_KEY";

const FileSchema = Type.Object({
  /** `system`: encrypted with a key of the system. `plain`: as it is, because the user wanted it so. */
  protection: Type.Union([Type.Literal("system"), Type.Literal("plain")]),
  /** The key, in base64 if it is encrypted. */
  key: Type.String({ minLength: 1, maxLength: 16_384 }),
});
type StoredKey = Static<typeof FileSchema>;

/** The key of the judge's provider. The page sets it and never gets it back. */
export interface JudgeKey {
  readonly state: JudgeKeyState;
  /** Asks first where the system has no safe storage. */
  save(key: string, window: BrowserWindow | undefined): Promise<JudgeKeyState>;
  /** @throws if the configuration needs the key. */
  remove(problemsWithout: () => readonly string[]): Promise<JudgeKeyState>;
}

/** Options of {@link openJudgeKey}. */
export interface JudgeKeyOptions {
  readonly file: string;
  readonly platform: NodeJS.Platform;
  /** The environment that the configuration is read from. A stored key is put into it. */
  readonly env: Record<string, string | undefined>;
  readonly whenReady: () => Promise<void>;
  /** Default: those of Node.js. */
  readonly files?: FileActions;
}

/** What another program that has the file open prevents on Windows. */
interface FileActions {
  readonly rename: typeof rename;
  readonly rm: typeof rm;
}

/** Reads the stored key, if there is one: only then the app has to be ready. A variable of the start takes precedence. */
export async function openJudgeKey(options: JudgeKeyOptions): Promise<JudgeKey> {
  const { file, platform, env, whenReady, files = { rename, rm } } = options;
  const isOverridden = env[JUDGE_KEY_VARIABLE] !== undefined;
  let stored: JudgeKeyState["stored"] = "none";
  const found = readStored(file);
  if (found === "invalid") stored = "unreadable";
  else if (found !== undefined) {
    const key = await decrypt(found);
    stored = key === undefined ? "unreadable" : found.protection;
    use(key);
  }

  async function decrypt({ protection, key }: StoredKey): Promise<string | undefined> {
    if (protection === "plain") return key;
    await whenReady();
    try {
      return (await safeStorage.decryptStringAsync(Buffer.from(key, "base64"))).result;
    } catch {
      return undefined; // by another user, or the system's key is gone
    }
  }

  function use(key: string | undefined): void {
    if (!isOverridden) env[JUDGE_KEY_VARIABLE] = key;
  }

  async function isProtected(): Promise<boolean> {
    await whenReady();
    if (!(await safeStorage.isAsyncEncryptionAvailable())) return false;
    return platform !== "linux" || safeStorage.getSelectedStorageBackend() !== "basic_text";
  }

  /** Whole or not at all: a crash leaves the key before or the key after. */
  async function write(key: StoredKey): Promise<void> {
    await writePrivateFile(file, JSON.stringify(key), files.rename);
    stored = key.protection;
  }

  const state = (): JudgeKeyState => ({ stored, isOverridden });
  return {
    get state() {
      return state();
    },
    async save(key, window) {
      if (await isProtected()) {
        const encrypted = await safeStorage.encryptStringAsync(key);
        await write({ protection: "system", key: encrypted.toString("base64") });
      } else {
        if (!(await askToSavePlain(file, window))) return state();
        await write({ protection: "plain", key });
      }
      use(key);
      return state();
    },
    async remove(problemsWithout) {
      const before = env[JUDGE_KEY_VARIABLE];
      use(undefined);
      const [problem] = problemsWithout();
      if (problem !== undefined) {
        use(before);
        throw new Error(`The key is needed: ${problem}`);
      }
      try {
        await whenFree(() => files.rm(file, { force: true }));
      } catch (error) {
        use(before);
        throw error;
      }
      stored = "none";
      return state();
    },
  };
}

function readStored(file: string): StoredKey | "invalid" | undefined {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
  try {
    const value: unknown = JSON.parse(text);
    return Value.Check(FileSchema, value) ? value : "invalid";
  } catch {
    return "invalid";
  }
}

/** State of the module: a page that saves a hundred keys causes one question. */
let isAsking = false;

async function askToSavePlain(file: string, window: BrowserWindow | undefined): Promise<boolean> {
  if (isAsking) return false;
  const question: MessageBoxOptions = {
    type: "warning",
    message: "This system has no safe storage for the key",
    detail:
      "A keyring, such as GNOME's or KDE's, would encrypt it. Without one, the key is kept as plain text in " +
      `${file}. Every program that you run can read it there.\n\nThe variable ${JUDGE_KEY_VARIABLE} sets the key without a file.`,
    buttons: ["Don't Save", "Save as Plain Text"],
    defaultId: 0,
    cancelId: 0,
  };
  isAsking = true;
  try {
    return (await askUser(question, window)) === 1;
  } finally {
    isAsking = false;
  }
}
