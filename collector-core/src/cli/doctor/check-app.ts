import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { ok, problem, warning, type Finding } from "./finding.js";

/** Which app is looked at. */
export interface AppOptions {
  readonly directory: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Version of Node, as in `process.versions.node`. */
  readonly nodeVersion: string;
}

const SDK = "@obspan/sdk";
const REGISTER = `${SDK}/register`;
/** An import for its effect alone. */
const IMPORT = /^import ["']@obspan\/sdk\/register["']/m;
const SOURCE = /\.(?:[cm]?[jt]s|[jt]sx)$/;
const PYTHON = ["requirements.txt", "pyproject.toml", "Pipfile", "uv.lock", "poetry.lock"];
const PYTHON_INSTRUMENTATION = /opentelemetry|openinference|traceloop|logfire|langfuse/i;
const SKIPPED = new Set(["node_modules", "dist", "build", "coverage", "out", "vendor"]);
/** Bounds of the search for imports: it is a hint, and must not read a whole disk. */
const MAX_FILES = 500;
const MAX_FILE_BYTES = 512 * 1024;
const MAX_DEPTH = 6;
/** The first version with `module.registerHooks()`, which LangChain, MCP and Bedrock need. */
const HOOKS_SINCE = [22, 15];

/** Looks whether the app in a directory would record anything. An empty list: there is no app that it knows. */
export function checkApp({ directory, env, nodeVersion }: AppOptions): Finding[] {
  const manifestFile = join(directory, "package.json");
  if (existsSync(manifestFile)) return checkNodeApp(directory, manifestFile, env, nodeVersion);
  const python = PYTHON.map((name) => join(directory, name)).filter((file) => existsSync(file));
  if (python.length === 0) return [];
  if (python.some((file) => PYTHON_INSTRUMENTATION.test(textOf(file))))
    return [ok("sdk", "The Python app has an instrumentation.")];
  return [
    warning(
      "sdk",
      "The Python app names no instrumentation of OpenTelemetry among its packages.",
      "Install one: docs/guide/python.md has a line for each library.",
    ),
  ];
}

interface Manifest {
  readonly type?: unknown;
  readonly scripts?: Readonly<Record<string, unknown>>;
  readonly dependencies?: Readonly<Record<string, unknown>>;
  readonly devDependencies?: Readonly<Record<string, unknown>>;
}

function checkNodeApp(
  directory: string,
  manifestFile: string,
  env: AppOptions["env"],
  nodeVersion: string,
): Finding[] {
  let manifest: Manifest;
  try {
    manifest = JSON.parse(textOf(manifestFile)) as Manifest;
  } catch {
    return [problem("sdk", `${manifestFile} is not valid JSON.`, "Correct it.")];
  }
  const { scripts = {}, dependencies = {}, devDependencies = {} } = manifest;
  const isNamed = Object.hasOwn(dependencies, SDK) || Object.hasOwn(devDependencies, SDK);
  const isInstalled = resolves(REGISTER, directory);
  const flags = [
    env["NODE_OPTIONS"] ?? "",
    ...Object.values(scripts).filter((script) => typeof script === "string"),
  ];
  const isFlagged = flags.some(
    (text) => text.includes(REGISTER) || /[/\\]sdk[/\\]dist[/\\]register\./.test(text),
  );
  return [
    ...checkNodeOptions(env["NODE_OPTIONS"], directory),
    ...checkSdk({ manifest, isNamed, isInstalled, isFlagged, sources: sourcesOf(directory) }),
    ...checkNodeVersion(nodeVersion),
  ];
}

interface SdkUse {
  readonly manifest: Manifest;
  readonly isNamed: boolean;
  readonly isInstalled: boolean;
  readonly isFlagged: boolean;
  readonly sources: readonly Source[];
}

function checkSdk({ manifest, isNamed, isInstalled, isFlagged, sources }: SdkUse): Finding[] {
  const importing = sources.filter(({ text }) => text.includes(SDK));
  if (isNamed && !isInstalled)
    return [problem("sdk", `${SDK} is in package.json, and not installed.`, "Run npm install.")];
  if (!isInstalled && (isFlagged || importing.length > 0))
    return [problem("sdk", `${SDK} is used, and not installed.`, `Run npm install ${SDK}.`)];
  if (isFlagged) return [ok("sdk", `${REGISTER} is loaded by a flag.`)];
  if (importing.length > 0) return checkImports(importing, manifest);
  return [
    warning(
      "sdk",
      isInstalled
        ? `${SDK} is installed, and nothing loads it: no import in ${sources.length} files, no flag in NODE_OPTIONS or a script.`
        : `The app does not have ${SDK}.`,
      `Start it with \`obspan run -- …\`, or with node --import ${REGISTER}.`,
    ),
  ];
}

function checkNodeVersion(version: string): Finding[] {
  if (!isOlder(version, HOOKS_SINCE)) return [];
  return [
    warning(
      "node",
      `Node ${version} has no module.registerHooks(): LangChain, MCP and Bedrock are recorded only where they are wrapped.`,
      "Use Node 22.15 or later, or the wrappers of the SDK.",
    ),
  ];
}

/** An import at the top of an ES module runs after the modules that it was to hook have been found. */
function checkImports(importing: readonly Source[], { type }: Manifest): Finding[] {
  const early = importing.find(({ file, text }) => {
    const isModule = /\.m[jt]s$/.test(file) || (type === "module" && !/\.c[jt]s$/.test(file));
    return isModule && IMPORT.test(text);
  });
  if (early !== undefined)
    return [
      warning(
        "sdk",
        `${early.file} imports ${REGISTER}: in an ES module this is too late for LangChain, MCP and Bedrock.`,
        `Use the flag instead: node --import ${REGISTER}.`,
      ),
    ];
  return [ok("sdk", `${SDK} is imported by ${importing[0]?.file ?? ""}.`)];
}

/** A file in NODE_OPTIONS that is not there keeps every Node process from starting. */
function checkNodeOptions(options: string | undefined, directory: string): Finding[] {
  const files = Array.from(
    (options ?? "").matchAll(/--(?:import|require|r)[= ]"?([^\s"]+)/g),
    ([, file = ""]) => file,
  );
  return files
    .filter(
      (file) => !(file.startsWith("file:") ? existsSync(fileURLToPath(file)) : resolves(file, directory)),
    )
    .map((file) =>
      problem(
        "node",
        `NODE_OPTIONS loads ${file}, which is not found from here.`,
        "Install it here, or remove it from NODE_OPTIONS.",
      ),
    );
}

function resolves(name: string, directory: string): boolean {
  try {
    createRequire(pathToFileURL(join(directory, "app.js"))).resolve(name);
    return true;
  } catch {
    return false;
  }
}

interface Source {
  /** Relative to the directory of the app. */
  readonly file: string;
  readonly text: string;
}

function sourcesOf(directory: string): Source[] {
  const found: Source[] = [];
  let level = [""];
  for (let depth = 0; depth < MAX_DEPTH && level.length > 0; depth++) {
    const next: string[] = [];
    for (const place of level)
      for (const entry of entriesOf(join(directory, place))) {
        if (found.length >= MAX_FILES) return found;
        const file = place === "" ? entry.name : `${place}/${entry.name}`;
        if (entry.isDirectory() && !entry.name.startsWith(".") && !SKIPPED.has(entry.name)) next.push(file);
        else if (entry.isFile() && SOURCE.test(entry.name))
          found.push({ file, text: textOf(join(directory, file)) });
      }
    level = next;
  }
  return found;
}

function entriesOf(directory: string): ReturnType<typeof readDirectory> {
  try {
    return readDirectory(directory);
  } catch {
    return [];
  }
}

function readDirectory(directory: string) {
  return readdirSync(directory, { withFileTypes: true });
}

function textOf(file: string): string {
  try {
    return statSync(file).size > MAX_FILE_BYTES ? "" : readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

function isOlder(version: string, [major = 0, minor = 0]: readonly number[]): boolean {
  const [ownMajor = 0, ownMinor = 0] = version.split(".").map(Number);
  return ownMajor < major || (ownMajor === major && ownMinor < minor);
}
