import { EventEmitter } from "node:events";

/** Properties that await, inspect and JSON read from every object. */
const ASKED_OF_ANY = new Set(["then", "toJSON", "constructor", "prototype", "inspect", "nodeType"]);

/** Wraps an object so that missing properties throw with their name: a double must not return `undefined`. */
export function throwing<T extends object>(target: T, name: string): T {
  return new Proxy(target, {
    get(object, key): unknown {
      if (key in object) {
        const value: unknown = Reflect.get(object, key, object);
        // A private field is accessible on the object itself, not on the proxy.
        return typeof value === "function" && key !== "constructor" ? (value.bind(object) as unknown) : value;
      }
      if (typeof key === "symbol" || ASKED_OF_ANY.has(key)) return undefined;
      throw new Error(`electron double: ${name}.${key} is not implemented`);
    },
  });
}

/** An emitter that refuses listeners of unknown events, which would wait forever. */
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
