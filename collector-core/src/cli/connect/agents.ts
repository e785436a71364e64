import { posix, win32 } from "node:path";
import type { Setting, SettingValue } from "../settings/settings-format.js";

/** For whom an agent is connected: this user, or everyone in the project of the working directory. */
export type Scope = "user" | "project";

/** What the places and values depend on. */
export interface ConnectOptions {
  readonly scope: Scope;
  /** Base address of the collector. */
  readonly url: string;
  /** True if the collector asks for a key. Settings name the variable that has it. */
  readonly hasKey: boolean;
  /** True if prompts, answers and what tools read and write may be sent. */
  readonly sendsContent: boolean;
  readonly platform: NodeJS.Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly homeDirectory: string;
  readonly projectDirectory: string;
  readonly exists: (path: string) => boolean;
}

/** Settings of one file of an agent. */
export interface AgentFile {
  readonly path: string;
  readonly format: "jsonc" | "toml";
  readonly settings: readonly Setting[];
}

/** A coding agent that can be connected. */
export interface Agent {
  readonly name: string;
  readonly title: string;
  files(options: ConnectOptions): readonly AgentFile[];
  /** The directory in which it looks for skills. */
  skills(options: ConnectOptions): string;
  /** What the user has to know: what is sent now, and what is left to do. */
  notes(options: ConnectOptions): readonly string[];
}

/** The variable that has the key of the collector. */
const KEY = "OBS_API_KEY";
/** The name of the collector in the lists of MCP servers. */
const SERVER = "obspan";

const NO_TELEMETRY =
  "This agent has no telemetry of its own: it can ask the collector, and sends it nothing.";
const TRACES_ONLY = "The collector takes traces. Logs and metrics of the agent are not turned on.";
const CONTENT_OFF = "Prompts, answers, and what tools read and write are left out. --content sends them.";

/** Every agent, by name (guide: coding-agents.md). */
export const AGENTS: readonly Agent[] = [
  {
    name: "claude-code",
    title: "Claude Code",
    files(options) {
      const { url, scope, sendsContent } = options;
      const directory = named(options, "CLAUDE_CONFIG_DIR");
      const own = directory ?? inHome(options, ".claude");
      const variables = {
        CLAUDE_CODE_ENABLE_TELEMETRY: "1",
        CLAUDE_CODE_ENHANCED_TELEMETRY_BETA: "1",
        OTEL_TRACES_EXPORTER: "otlp",
        OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: "http/protobuf",
        OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${url}/v1/traces`,
        ...(sendsContent && {
          OTEL_LOG_USER_PROMPTS: "1",
          OTEL_LOG_ASSISTANT_RESPONSES: "1",
          OTEL_LOG_TOOL_DETAILS: "1",
          OTEL_LOG_TOOL_CONTENT: "1",
        }),
      };
      return [
        {
          // The local file of a project is not committed: not everyone in the project has a collector.
          path:
            scope === "user"
              ? join(options, own, "settings.json")
              : inProject(options, ".claude", "settings.local.json"),
          format: "jsonc",
          settings: Object.entries(variables).map(([name, value]) => ({ path: ["env", name], value })),
        },
        {
          path:
            scope === "user"
              ? join(options, directory ?? options.homeDirectory, ".claude.json")
              : inProject(options, ".mcp.json"),
          format: "jsonc",
          settings: [
            mcp(["mcpServers", SERVER], {
              type: "http",
              url: mcpUrl(options),
              ...headers(options, `\${${KEY}:-}`),
            }),
          ],
        },
      ];
    },
    skills: (options) =>
      options.scope === "user"
        ? join(options, named(options, "CLAUDE_CONFIG_DIR") ?? inHome(options, ".claude"), "skills")
        : inProject(options, ".claude", "skills"),
    notes: (options) => [
      "It sends a trace for each prompt: the model calls and the tools. Its tokens are attributes of the spans, and are not counted yet.",
      TRACES_ONLY,
      ...(options.sendsContent ? [] : [CONTENT_OFF]),
      ...headerNote(options, "OTEL_EXPORTER_OTLP_TRACES_HEADERS"),
    ],
  },
  {
    name: "codex",
    title: "Codex",
    files(options) {
      const { url, scope } = options;
      const path =
        scope === "user"
          ? join(options, named(options, "CODEX_HOME") ?? inHome(options, ".codex"), "config.toml")
          : inProject(options, ".codex", "config.toml");
      const exporter = { "otlp-http": { endpoint: `${url}/v1/traces`, protocol: "binary" } };
      return [
        {
          path,
          format: "toml",
          settings: [
            ...(codexSendsTraces(options) ? [{ path: ["otel", "trace_exporter"], value: exporter }] : []),
            mcp(["mcp_servers", SERVER], {
              url: mcpUrl(options),
              ...(options.hasKey && { env_http_headers: { "X-API-Key": KEY } }),
            }),
          ],
        },
      ];
    },
    skills: (options) =>
      options.scope === "user"
        ? inHome(options, ".agents", "skills")
        : inProject(options, ".agents", "skills"),
    notes: (options) => [
      ...(codexSendsTraces(options)
        ? [
            "It sends its spans: turns and tools, among many internal ones. Its tokens are attributes of the spans, and are not counted yet.",
            "It tells prompts and answers only in logs, which the collector does not take: they are not turned on.",
          ]
        : []),
      ...(options.scope === "project"
        ? [
            "Codex reads telemetry settings only for the user: run this without --project too, to send traces.",
          ]
        : []),
      ...(options.scope === "user" && options.hasKey
        ? [
            "Its telemetry is not turned on: Codex takes the key for it only as text in its file, and keys are not written. " +
              `MCP reads the key from ${KEY}.`,
          ]
        : []),
    ],
  },
  {
    name: "gemini",
    title: "Gemini CLI",
    files(options) {
      const telemetry = {
        enabled: true,
        target: "local",
        useCollector: true,
        otlpProtocol: "http",
        otlpEndpoint: options.url,
        // Its default is true.
        logPrompts: options.sendsContent,
        ...(options.sendsContent && { traces: true }),
      };
      return [
        {
          path: inScope(options, ".gemini", "settings.json"),
          format: "jsonc",
          settings: [
            ...Object.entries(telemetry).map(([name, value]) => ({ path: ["telemetry", name], value })),
            mcp(["mcpServers", SERVER], { httpUrl: mcpUrl(options), ...headers(options, `$${KEY}`) }),
          ],
        },
      ];
    },
    skills: (options) => inScope(options, ".gemini", "skills"),
    notes: (options) => [
      options.sendsContent
        ? "It sends a span for each model call and tool, with the texts."
        : "It sends a span for each model call and tool. Without --content these have no model, no tokens and no texts.",
      "It also sends logs and metrics, which the collector refuses: Gemini CLI prints an error about that when it ends.",
      ...(options.sendsContent
        ? []
        : ["Its spans have the command line it was started with, also `-p <prompt>`."]),
      ...headerNote(options, "OTEL_EXPORTER_OTLP_HEADERS"),
    ],
  },
  {
    name: "opencode",
    title: "opencode",
    files(options) {
      const directory =
        options.scope === "user"
          ? join(options, named(options, "XDG_CONFIG_HOME") ?? inHome(options, ".config"), "opencode")
          : options.projectDirectory;
      const withComments = join(options, directory, "opencode.jsonc");
      return [
        {
          path: options.exists(withComments) ? withComments : join(options, directory, "opencode.json"),
          format: "jsonc",
          settings: [
            // Its spans of model calls carry the texts, so that they are on only where these may be sent.
            ...(options.sendsContent ? [{ path: ["experimental", "openTelemetry"], value: true }] : []),
            mcp(["mcp", SERVER], {
              type: "remote",
              url: mcpUrl(options),
              enabled: true,
              ...headers(options, `{env:${KEY}}`),
            }),
          ],
        },
      ];
    },
    skills: (options) =>
      options.scope === "user"
        ? join(options, named(options, "XDG_CONFIG_HOME") ?? inHome(options, ".config"), "opencode", "skills")
        : inProject(options, ".opencode", "skills"),
    notes: (options) => [
      "It takes the address only from the environment: start it with `obspan run -- opencode`.",
      options.sendsContent
        ? "It then sends a trace for each prompt: model calls, tools, and many internal spans."
        : "Without --content it then sends only internal spans: those of model calls carry the texts.",
      "It also sends logs, which the collector refuses with 404.",
    ],
  },
  {
    name: "cursor",
    title: "Cursor",
    files: (options) => [
      {
        path: inScope(options, ".cursor", "mcp.json"),
        format: "jsonc",
        settings: [
          mcp(["mcpServers", SERVER], { url: mcpUrl(options), ...headers(options, `\${env:${KEY}}`) }),
        ],
      },
    ],
    skills: (options) => inScope(options, ".cursor", "skills"),
    notes: () => [NO_TELEMETRY],
  },
  {
    name: "vscode",
    title: "VS Code",
    files: (options) => [
      {
        path:
          options.scope === "user"
            ? join(options, vscodeDirectory(options), "mcp.json")
            : inProject(options, ".vscode", "mcp.json"),
        format: "jsonc",
        settings: [
          mcp(["servers", SERVER], {
            type: "http",
            url: mcpUrl(options),
            ...headers(options, `\${env:${KEY}}`),
          }),
        ],
      },
    ],
    skills: (options) =>
      options.scope === "user"
        ? inHome(options, ".copilot", "skills")
        : inProject(options, ".github", "skills"),
    notes: () => [NO_TELEMETRY],
  },
];

/** Codex ignores the telemetry settings of a project, and has no way to name the variable of a key for them. */
function codexSendsTraces({ scope, hasKey }: ConnectOptions): boolean {
  return scope === "user" && !hasKey;
}

function mcp(path: readonly string[], value: { readonly [key: string]: SettingValue }): Setting {
  return { path, value };
}

function mcpUrl({ url }: ConnectOptions): string {
  return `${url}/mcp`;
}

function headers(
  { hasKey }: ConnectOptions,
  key: string,
): { readonly headers?: { readonly "X-API-Key": string } } {
  return hasKey ? { headers: { "X-API-Key": key } } : {};
}

function headerNote({ hasKey }: ConnectOptions, variable: string): readonly string[] {
  if (!hasKey) return [];
  return [
    `The key is not written. Where the agent starts, set ${KEY}, and for its telemetry ${variable}="x-api-key=$${KEY}".`,
  ];
}

function vscodeDirectory(options: ConnectOptions): string {
  const { platform } = options;
  if (platform === "win32")
    return join(options, named(options, "APPDATA") ?? inHome(options, "AppData", "Roaming"), "Code", "User");
  if (platform === "darwin") return inHome(options, "Library", "Application Support", "Code", "User");
  return join(options, named(options, "XDG_CONFIG_HOME") ?? inHome(options, ".config"), "Code", "User");
}

/** A directory that the environment names. A relative path is ignored, as the XDG Base Directory Specification asks. */
function named({ env, platform }: ConnectOptions, variable: string): string | undefined {
  const path = env[variable];
  return path !== undefined && (platform === "win32" ? win32 : posix).isAbsolute(path) ? path : undefined;
}

function inScope(options: ConnectOptions, ...names: readonly string[]): string {
  return options.scope === "user" ? inHome(options, ...names) : inProject(options, ...names);
}

function inHome(options: ConnectOptions, ...names: readonly string[]): string {
  return join(options, options.homeDirectory, ...names);
}

function inProject(options: ConnectOptions, ...names: readonly string[]): string {
  return join(options, options.projectDirectory, ...names);
}

function join({ platform }: ConnectOptions, ...names: readonly string[]): string {
  return (platform === "win32" ? win32 : posix).join(...names);
}
