import { isRecording } from "../capture/integration.js";
import { member } from "../integrations/json-fields.js";
import { ignoringErrors, replaceMethod } from "../integrations/model-client/replace-method.js";

/** Loads an integration of this package, such as `@obspan/sdk/mcp`. */
export type LoadIntegration = (name: string) => unknown;

/** A library whose modules are hooked when the app loads them. */
export interface Library {
  readonly name: "langchain" | "mcp" | "bedrock";
  /** The modules with the classes that are hooked, by the end of their URL. */
  readonly modules: RegExp;
  /**
   * Hooks the classes of a module, once each. Throws if the integration cannot be loaded.
   *
   * @returns false if the module does not have the classes: a version of the library that the integration does not know.
   */
  readonly hook: (module: unknown, load: LoadIntegration) => boolean;
}

/** The libraries that can be recorded neither through fetch nor through a global. */
export const LIBRARIES: readonly Library[] = [
  {
    name: "langchain",
    modules: /\/@langchain\/core\/dist\/callbacks\/manager\.c?js$/,
    hook(module, load) {
      if (typeof member(member(module, "CallbackManager"), "_configureSync") !== "function") return false;
      return call(load("langchain"), "instrumentLangChain", module) === true;
    },
  },
  {
    name: "mcp",
    modules:
      /\/@modelcontextprotocol\/(?:sdk\/dist\/(?:(?:esm|cjs)\/)?(?:client|server)\/index\.js|(?:client|server)\/dist\/index\.[cm]?js)$/,
    hook(module, load) {
      const prototypes = ["Client", "Server"].flatMap((name) => {
        const prototype = member(member(module, name), "prototype");
        return typeof member(prototype, "connect") === "function" ? [prototype] : [];
      });
      for (const prototype of prototypes) call(load("mcp"), "wrapMcpClient", prototype);
      return prototypes.length > 0;
    },
  },
  {
    name: "bedrock",
    modules: /\/@aws-sdk\/client-bedrock-runtime\/dist-(?:cjs|es)\/index\.js$/,
    hook(module, load) {
      const prototype = member(member(module, "BedrockRuntimeClient"), "prototype");
      const integration = load("bedrock");
      const wrapped = new WeakSet<object>();
      return replaceMethod(
        prototype,
        "send",
        (original) =>
          function (this: unknown, ...args: unknown[]): unknown {
            ignoringErrors(() => {
              if (wrapped.has(this as object) || !isRecording()) return;
              wrapped.add(this as object);
              call(integration, "wrapBedrock", this);
            });
            return Reflect.apply(original, this, args);
          },
      );
    },
  },
];

function call(integration: unknown, name: string, argument: unknown): unknown {
  return (member(integration, name) as (argument: unknown) => unknown)(argument);
}
