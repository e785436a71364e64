import type { CommandEntry } from "./command-context.js";

const ASK = "Ask a collector:";
const SET_UP = "Set up an app or a coding agent:";
const DATA = "Move traces and check them:";
const COLLECTOR = "Run a collector:";
const MORE = "More:";

/** Every command of `obspan`, in the order of its help. Only the module of the command that is called is loaded. */
export const COMMANDS: readonly CommandEntry[] = [
  {
    name: "tail",
    group: ASK,
    description: "Follow traces as they start and end.",
    load: () => import("./tail/tail-command.js"),
  },
  {
    name: "traces",
    group: ASK,
    description: "List the traces that match a query, or group them.",
    load: () => import("./traces-command.js"),
  },
  {
    name: "trace",
    group: ASK,
    description: "Show one trace: its steps, errors and loops, one step whole, or against another.",
    load: () => import("./trace/trace-command.js"),
  },
  {
    name: "sessions",
    group: ASK,
    description: "List conversations.",
    load: () => import("./sessions-command.js"),
  },
  {
    name: "errors",
    group: ASK,
    description: "Group the errors of traces by their message, each with a trace.",
    load: () => import("./errors-command.js"),
  },
  {
    name: "stats",
    group: ASK,
    description: "Calls, errors, latency, tokens and cost of the last hour, or another window.",
    load: () => import("./stats-command.js"),
  },
  {
    name: "open",
    group: ASK,
    description: "Open the list of traces, or one trace, in a browser.",
    load: () => import("./open-command.js"),
  },
  {
    name: "run",
    group: SET_UP,
    description: "Run a command with its traces on, and print their links.",
    load: () => import("./run/run-command.js"),
  },
  {
    name: "connect",
    group: SET_UP,
    description: "Connect a coding agent: its telemetry, and the collector as its MCP server.",
    load: () => import("./connect/connect-command.js"),
  },
  {
    name: "mcp",
    group: SET_UP,
    description: "Serve the tools for coding agents on stdin and stdout (Model Context Protocol).",
    load: () => import("./mcp/mcp-command.js"),
  },
  {
    name: "eval",
    group: DATA,
    description: "Check what traces must be like, for CI: error rate, cost, latency, scores.",
    load: () => import("./eval/eval-command.js"),
  },
  {
    name: "share",
    group: DATA,
    description: "Write one trace to a file that a browser opens, or as Markdown; or one session.",
    load: () => import("./files/share-command.js"),
  },
  {
    name: "send",
    group: DATA,
    description: "Send spans of a file or of stdin: JSON, JSON lines or OTLP in JSON.",
    load: () => import("./files/send-command.js"),
  },
  {
    name: "export",
    group: DATA,
    description: "Write traces to a file without loss.",
    load: () => import("./files/export-command.js"),
  },
  {
    name: "import",
    group: DATA,
    description: "Read an exported file into a collector. Its traces are not counted.",
    load: () => import("./files/import-command.js"),
  },
  {
    name: "doctor",
    group: SET_UP,
    description: "Say why no traces arrive: address, key, clock, refused requests, the app here.",
    load: () => import("./doctor/doctor-command.js"),
  },
  {
    name: "serve",
    group: COLLECTOR,
    description: "Run the collector until SIGTERM, SIGINT or SIGHUP.",
    load: () => import("./serve/serve-command.js"),
  },
  {
    name: "check-config",
    group: COLLECTOR,
    description: "List every problem of the configuration without starting the collector.",
    load: () => import("./serve/check-config-command.js"),
  },
  {
    name: "store",
    group: COLLECTOR,
    description: "Look after the traces on disk, whether the collector runs or not.",
    load: () => import("./store/store-command.js"),
  },
  {
    name: "completion",
    group: MORE,
    description: "Print a script that completes commands and options in a shell.",
    load: () => import("./completion/completion-command.js"),
  },
  {
    name: "version",
    group: MORE,
    description: "Print the versions of the collector and of Node.js.",
    load: () => import("./version-command.js"),
  },
];
