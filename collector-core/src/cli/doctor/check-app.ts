import { existsSync, readdirSync, readFileSync, statSync, type Dirent } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { errorCode } from "../../runtime/describe-error.js";
import { fieldsOf, textOf } from "./answer-fields.js";
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
/** Of one depth. */
const MAX_DIRECTORIES = 500;
/** The first version with `module.registerHooks()`, which LangChain, MCP and Bedrock need. */
const HOOKS_SINCE = [22, 15];

/** Looks whether the app in a directory would record anything. An empty list: there is no app that it knows. */
export function checkApp({ directory, env, nodeVersion }: AppOptions): Finding[] {
  const manifestFile = join(directory, "package.json");
  if (existsSync(manifestFile)) return checkNodeApp(directory, manifestFile, env, nodeVersion);
  const python = PYTHON.map((name) => join(directory, name)).filter((file) => existsSync(file));
  if (python.length === 0) return [];
  if (python.some((file) => PYTHON_INSTRUMENTATION.test(fileText(file))))
    return [ok("sdk", "The Python app has an instrumentation.")];
  return [
    warning(
      "sdk",
      "The Python app names no instrumentation of OpenTelemetry among its packages.",
      "Install one: docs/guide/python.md has a line for each library.",
    ),
  ];
}

function checkNodeApp(
  directory: string,
  manifestFile: string,
  env: AppOptions["env"],
  nodeVersion: string,
): Finding[] {
  let manifest: unknown;
  try {
    manifest = JSON.parse(fileText(manifestFile));
  } catch {
    return [problem("sdk", `${manifestFile} is not valid JSON.`, "Correct it.")];
  }
  const { type, scripts, dependencies, devDependencies } = fieldsOf(manifest);
  const isNamed = [dependencies, devDependencies].some((names) => Object.hasOwn(fieldsOf(names), SDK));
  const isInstalled = resolves(REGISTER, directory);
  const flags = [env["NODE_OPTIONS"] ?? "", ...Object.values(fieldsOf(scripts)).map(textOf)];
  const isFlagged = flags.some(
    (text) => text.includes(REGISTER) || /[/\\]sdk[/\\]dist[/\\]register\./.test(text),
  );
  return [
    ...checkNodeOptions(env["NODE_OPTIONS"], directory),
    ...checkSdk({
      isModule: type === "module",
      isNamed,
      isInstalled,
      isFlagged,
      sources: sourcesOf(directory),
    }),
    ...checkNodeVersion(nodeVersion),
  ];
}

interface SdkUse {
  /** The app consists of ES modules. */
  readonly isModule: boolean;
  readonly isNamed: boolean;
  readonly isInstalled: boolean;
  readonly isFlagged: boolean;
  readonly sources: Sources;
}

function checkSdk({ isModule, isNamed, isInstalled, isFlagged, sources }: SdkUse): Finding[] {
  const { importing, count } = sources;
  if (isNamed && !isInstalled)
    return [problem("sdk", `${SDK} is in package.json, and not installed.`, "Run npm install.")];
  if (!isInstalled && (isFlagged || importing.length > 0))
    return [problem("sdk", `${SDK} is used, and not installed.`, `Run npm install ${SDK}.`)];
  if (isFlagged) return [ok("sdk", `${REGISTER} is loaded by a flag.`)];
  if (importing.length > 0) return checkImports(importing, isModule);
  return [
    warning(
      "sdk",
      isInstalled
        ? `${SDK} is installed, and nothing loads it: no import in ${count} files, no flag in NODE_OPTIONS or a script.`
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
function checkImports(importing: readonly Source[], isModule: boolean): Finding[] {
  const early = importing.find(
    ({ file, text }) =>
      (/\.m[jt]s$/.test(file) || (isModule && !/\.c[jt]s$/.test(file))) && IMPORT.test(text),
  );
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
    .filter((file) => !resolves(file, directory))
    .map((file) =>
      problem(
        "node",
        `NODE_OPTIONS loads ${file}, which is not found from here.`,
        "Install it here, or remove it from NODE_OPTIONS.",
      ),
    );
}

/** Whether Node finds what an import in a directory names: a package, a path or a URL. */
function resolves(name: string, directory: string): boolean {
  if (name.startsWith("data:")) return true;
  try {
    const path = name.startsWith("file:") ? fileURLToPath(name) : name;
    createRequire(pathToFileURL(join(directory, "app.js"))).resolve(path);
    return true;
  } catch (error) {
    // A package for ES modules alone is there, and has nothing to require.
    return errorCode(error) === "ERR_PACKAGE_PATH_NOT_EXPORTED";
  }
}

interface Source {
  /** Relative to the directory of the app. */
  readonly file: string;
  readonly text: string;
}

interface Sources {
  /** Those that name the SDK. Only their texts are kept. */
  readonly importing: readonly Source[];
  /** How many were read. */
  readonly count: number;
}

function sourcesOf(directory: string): Sources {
  const importing: Source[] = [];
  let count = 0;
  let level = [""];
  for (let depth = 0; depth < MAX_DEPTH && level.length > 0; depth++) {
    const next: string[] = [];
    for (const place of level.slice(0, MAX_DIRECTORIES))
      for (const entry of entriesOf(join(directory, place))) {
        if (count >= MAX_FILES) return { importing, count };
        const file = place === "" ? entry.name : `${place}/${entry.name}`;
        if (entry.isDirectory() && !entry.name.startsWith(".") && !SKIPPED.has(entry.name)) next.push(file);
        else if (entry.isFile() && SOURCE.test(entry.name)) {
          count++;
          const text = fileText(join(directory, file));
          if (text.includes(SDK)) importing.push({ file, text });
        }
      }
    level = next;
  }
  return { importing, count };
}

function entriesOf(directory: string): readonly Dirent[] {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch {
    return [];
  }
}

function fileText(file: string): string {
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
