import { EventEmitter } from "node:events";

/** Asked of everything by await, inspect and JSON: no abilities of Electron. */
const ASKED_OF_ANY = new Set(["then", "toJSON", "constructor", "prototype", "inspect", "nodeType"]);

/** The same object, which throws with the name of what it does not have: a double must not answer `undefined`. */
export function throwing<T extends object>(target: T, name: string): T {
  return new Proxy(target, {
    get(object, key): unknown {
      if (key in object) {
        const value: unknown = Reflect.get(object, key, object);
        // A private field is reached by the object itself only, not by the proxy.
        return typeof value === "function" && key !== "constructor" ? (value.bind(object) as unknown) : value;
      }
      if (typeof key === "symbol" || ASKED_OF_ANY.has(key)) return undefined;
      throw new Error(`electron double: ${name}.${key} is not implemented`);
    },
  });
}

/** An emitter that knows which events it emits, and refuses listeners of others: they would wait for ever. */
export class KnownEvents extends EventEmitter {
  readonly #owner: string;
  readonly #known: ReadonlySet<string>;

  constructor(owner: string, known: ReadonlySet<string>) {
    super();
    this.#owner = owner;
    this.#known = known;
  }

  override on(event: string, listener: (...args: unknown[]) => void): this {
    return super.on(this.#checked(event), listener);
  }

  override once(event: string, listener: (...args: unknown[]) => void): this {
    return super.once(this.#checked(event), listener);
  }

  #checked(event: string): string {
    if (!this.#known.has(event))
      throw new Error(`electron double: ${this.#owner} event ${event} is not implemented`);
    return event;
  }
}

/** An event that a listener can prevent, as Electron's are. */
export class PreventableEvent {
  defaultPrevented = false;
  readonly preventDefault = (): void => {
    this.defaultPrevented = true;
  };
}
