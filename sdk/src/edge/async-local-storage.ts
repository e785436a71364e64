import { builtinModule } from "./builtin-module.js";

/** What is used of the `AsyncLocalStorage` of a runtime. */
interface Storage<T> {
  getStore(): T | undefined;
  run<R>(store: T, fn: () => R): R;
}

type StorageClass = new <T>() => Storage<T>;

interface HasStorage {
  readonly AsyncLocalStorage?: StorageClass;
}

/**
 * The class of the runtime. Vercel has it as a global; Cloudflare Workers has it with the flag `nodejs_compat`. With the
 * flag `nodejs_als` alone it can only be imported: the app sets the global.
 */
function findClass(): StorageClass | undefined {
  const { AsyncLocalStorage: own } = globalThis as HasStorage;
  return own ?? (builtinModule("node:async_hooks") as HasStorage | undefined)?.AsyncLocalStorage;
}

/** Whether {@link AsyncLocalStorage.enterWith} works. */
export const CAN_ENTER: boolean = false;

/**
 * `AsyncLocalStorage` in runtimes without Node's modules. In a runtime without any, such as a browser, a store is current
 * until its function returns: what an async function does after its first `await` is outside.
 */
export class AsyncLocalStorage<T> {
  #storage: Storage<T> | undefined;
  #hasLooked = false;
  #current: T | undefined;

  getStore(): T | undefined {
    return this.#storage === undefined ? this.#current : this.#storage.getStore();
  }

  run<R>(store: T, fn: () => R): R {
    // Not when the module loads: an app sets the global after its imports.
    if (!this.#hasLooked) {
      this.#hasLooked = true;
      const Class = findClass();
      if (Class !== undefined) this.#storage = new Class();
    }
    if (this.#storage !== undefined) return this.#storage.run(store, fn);
    const outer = this.#current;
    this.#current = store;
    try {
      return fn();
    } finally {
      this.#current = outer;
    }
  }

  /** Does nothing: Cloudflare Workers cannot do it, and without the runtime's help the store would never be left. */
  readonly enterWith: (store: T) => void = () => undefined;
}
