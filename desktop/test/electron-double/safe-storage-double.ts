import type { DecryptStringAsyncReturnValue, SafeStorage } from "electron";

type SafeStorageMethods = Pick<
  SafeStorage,
  "decryptStringAsync" | "encryptStringAsync" | "getSelectedStorageBackend" | "isAsyncEncryptionAvailable"
>;

/** The keyring of the simulated desktop, which a test chooses; `none` encrypts nothing. */
const KEYRING = process.env["ELECTRON_DOUBLE_KEYRING"] ?? "gnome_libsecret";
const MARK = "double:";

/** `safeStorage` (api/safe-storage.md). Its texts are only not readable: encrypting is the system's. */
export const safeStorageDouble: SafeStorageMethods = {
  isAsyncEncryptionAvailable: () => Promise.resolve(KEYRING !== "none"),
  /** "User friendly name of the password manager selected on Linux." */
  getSelectedStorageBackend: () =>
    KEYRING === "none" ? "unknown" : (KEYRING as ReturnType<SafeStorage["getSelectedStorageBackend"]>),
  encryptStringAsync: (text) => Promise.resolve(turned(Buffer.from(MARK + text))),
  /** Fails for what this system has not encrypted. */
  decryptStringAsync(encrypted): Promise<DecryptStringAsyncReturnValue> {
    const text = turned(encrypted).toString();
    if (KEYRING === "none" || !text.startsWith(MARK))
      return Promise.reject(
        new Error("Error while decrypting the ciphertext provided to safeStorage.decryptString."),
      );
    return Promise.resolve({ result: text.slice(MARK.length), shouldReEncrypt: false });
  },
};

function turned(bytes: Buffer): Buffer {
  return Buffer.from(bytes.map((byte) => byte ^ 0x5a));
}
