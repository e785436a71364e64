import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, isAbsolute, join } from "node:path";
import { Argument, Option, type Command } from "commander";
import { defaultConfigFile } from "../../config/default-config-file.js";
import { collectorOf } from "../collector-options.js";
import { URL_OPTION } from "../collector-url.js";
import type { CommandContext } from "../command-context.js";
import { CommandFailure, EXIT } from "../command-failure.js";
import { wrapped } from "../output/paragraph.js";
import {
  bytesFor,
  checkWritable,
  digestOf,
  removeFile,
  replaceFile,
  backupPath,
  writeBackup,
} from "../settings/settings-file.js";
import { AGENTS, type Agent, type ConnectOptions } from "./agents.js";
import { Connections, type Connection } from "./connections.js";
import { differenceText } from "./difference-text.js";
import { planSettings, planSkill, planUndo, type FilePlan } from "./plan-connection.js";
import { readSkill, SKILL_FILE } from "./skill.js";

/** Options of `obspan connect`. */
export interface ConnectFlags {
  readonly url?: string;
  readonly project?: boolean;
  readonly content?: boolean;
  readonly skill?: boolean;
  readonly write?: boolean;
  readonly undo?: boolean;
  readonly json?: boolean;
}

/** Where a command is called. */
export type Place = Pick<ConnectOptions, "homeDirectory" | "projectDirectory" | "platform"> & {
  /** Undefined where files have no owner. */
  readonly uid: number | undefined;
};

/** `obspan connect`. */
export function configure(command: Command, context: CommandContext): void {
  command
    .addArgument(new Argument("<agent>", "the coding agent").choices(AGENTS.map(({ name }) => name)))
    .option("--write", "write the change; without it, it is only shown")
    .addOption(new Option("--undo", "take back what was written").conflicts(["write", "content", "skill"]))
    .option("--project", "for the project in this directory; default: for you, in every project")
    .option("--content", "also send prompts, answers, and what tools read and write")
    .option("--skill", "also install a skill: read traces before you guess")
    .option(...URL_OPTION)
    .option("--json", "print JSON")
    .addHelpText(
      "after",
      "\nSets up what the agent sends to the collector, and the collector as an MCP server of the agent. Comments and other\n" +
        "settings stay. A copy is kept beside each file. Keys are not written: where OBS_API_KEY is set, its name is.",
    )
    .action(
      context.action((name: string, flags: ConnectFlags) =>
        runConnect(name, flags, context, {
          homeDirectory: homedir(),
          projectDirectory: process.cwd(),
          platform: process.platform,
          uid: process.getuid?.(),
        }),
      ),
    );
}

/** Runs the command. @throws CommandFailure */
export async function runConnect(
  name: string,
  flags: ConnectFlags,
  context: CommandContext,
  place: Place,
): Promise<number> {
  const agent = AGENTS.find((one) => one.name === name);
  if (agent === undefined) throw new CommandFailure(`There is no agent ${name}.`, { exitCode: EXIT.usage });
  const { env } = context;
  const options: ConnectOptions = {
    scope: flags.project === true ? "project" : "user",
    url: collectorOf(flags, context).url,
    hasKey: Boolean(env["OBS_API_KEY"]),
    sendsContent: flags.content === true,
    env,
    exists: existsSync,
    ...place,
  };
  const configFile = defaultConfigFile({ ...place, env });
  if (configFile === undefined) throw new CommandFailure("You have no home directory.");
  const connections = await Connections.open(join(dirname(configFile), "connections.json"));
  const task: Task = { agent, options, connections, flags, uid: place.uid };
  const { plans, isWritten } = flags.undo === true ? await undo(task) : await connect(task, context);
  report(task, plans, isWritten, context);
  return EXIT.ok;
}

interface Task {
  readonly agent: Agent;
  readonly options: ConnectOptions;
  readonly connections: Connections;
  readonly flags: ConnectFlags;
  readonly uid: number | undefined;
}

interface Done {
  readonly plans: readonly FilePlan[];
  readonly isWritten: boolean;
}

async function connect(task: Task, { packageDirectory }: CommandContext): Promise<Done> {
  const { agent, options, connections, flags, uid } = task;
  const roots = rootsOf(options);
  const known = (target: string): Connection | undefined => connections.of(target);
  // All plans are made before anything is written: a problem of one file leaves the others as they are.
  const plans: FilePlan[] = [];
  for (const file of agent.files(options)) plans.push(await planSettings(file, roots, known));
  if (flags.skill === true) {
    const path = join(agent.skills(options), SKILL_FILE);
    plans.push(await planSkill(path, readSkill(packageDirectory), roots, known));
  }
  if (flags.write !== true) return { plans, isWritten: false };
  const changes = plans.filter(isChange);
  for (const plan of changes) checkWritable(plan.file, uid);
  for (const plan of changes) await write(plan, task);
  return { plans, isWritten: true };
}

async function undo({ agent, options, connections, uid }: Task): Promise<Done> {
  const roots = rootsOf(options);
  const written = connections.filesOf(agent.name, scopeOf(options));
  if (written.length === 0) {
    const where = options.scope === "user" ? "" : " in this project";
    throw new CommandFailure(`obspan connect has written nothing for ${agent.title}${where}.`, {
      exitCode: EXIT.nothing,
    });
  }
  const plans: FilePlan[] = [];
  for (const connection of written.toReversed()) plans.push(await planUndo(connection, roots));
  for (const plan of plans.filter(isChange)) checkWritable(plan.file, uid);
  for (const plan of plans) await takeBack(plan, connections);
  return { plans, isWritten: true };
}

/** The list is written first: what it names and the file does not have is simply not removed. */
async function write(plan: FilePlan, { agent, options, connections }: Task): Promise<void> {
  const { file, kind, after = "", settings, tables, original } = plan;
  const bytes = kind === "settings" ? bytesFor(file, after) : Buffer.from(after);
  const known = connections.of(file.target);
  const connection = {
    agent: agent.name,
    scope: scopeOf(options),
    file: file.target,
    kind,
    before: original === undefined ? null : digestOf(original),
    after: digestOf(bytes),
    settings,
    tables,
    directories: known?.directories ?? [],
  };
  await connections.put(connection);
  if (original !== undefined && file.content !== undefined)
    await writeBackup({ ...file, content: { ...file.content, bytes: original } });
  // The agent may write its own secrets into a file of the user later.
  const mode = options.scope === "user" && kind === "settings" ? 0o600 : 0o644;
  const made = await replaceFile(file, bytes, mode);
  if (made.length > 0) await connections.put({ ...connection, directories: made });
}

async function takeBack(plan: FilePlan, connections: Connections): Promise<void> {
  const { file, after } = plan;
  const directories = connections.of(file.target)?.directories ?? [];
  if (after === undefined) await removeFile(file.target, directories);
  else if (isChange(plan)) await replaceFile(file, bytesFor(file, after));
  await removeFile(backupPath(file.target));
  await connections.remove(file.target);
}

function isChange({ before, after }: FilePlan): boolean {
  return before !== after;
}

/** A link may lead anywhere in these. */
function rootsOf({ scope, homeDirectory, projectDirectory, env }: ConnectOptions): string[] {
  const named = ["CLAUDE_CONFIG_DIR", "CODEX_HOME", "XDG_CONFIG_HOME", "APPDATA"]
    .flatMap((name) => env[name] || [])
    .filter((path) => isAbsolute(path));
  return scope === "user" ? [homeDirectory, ...named] : [projectDirectory, homeDirectory];
}

/** What a connection is listed under: the projects of a user are many. */
function scopeOf({ scope, projectDirectory }: ConnectOptions): string {
  return scope === "user" ? "user" : projectDirectory;
}

function report(
  { agent, options, flags }: Task,
  plans: readonly FilePlan[],
  isWritten: boolean,
  { output }: CommandContext,
): void {
  const isUndo = flags.undo === true;
  const notes = isUndo ? [] : agent.notes(options);
  if (flags.json === true) {
    const files = plans.map((plan) => ({
      path: plan.file.path,
      change: changeOf(plan),
      settings: isUndo ? [] : plan.settings,
    }));
    output.printJson({ agent: agent.name, scope: options.scope, written: isWritten, files, notes });
    return;
  }
  const { bold, dim } = output.colours;
  for (const plan of plans) {
    const { file, before, after, settings } = plan;
    output.print(`${bold(shortened(file.path, options))} ${dim(`(${changeOf(plan)})`)}\n`);
    // The text of a skill is long, and known.
    if (isChange(plan) && plan.kind === "settings")
      output.print(differenceText(before, after, settings, output.colours));
  }
  for (const note of notes) output.print(`\n${wrapped(note.split(" "), " ", output.columns).join("\n")}`);
  if (notes.length > 0) output.print("\n");
  output.print(`\n${closing(agent, plans, isWritten, flags)}\n`);
}

/** `~/.codex/config.toml`: a path as people write it. */
function shortened(path: string, { homeDirectory, platform }: ConnectOptions): string {
  const isInHome = platform !== "win32" && path.startsWith(`${homeDirectory}/`);
  return isInHome ? `~${path.slice(homeDirectory.length)}` : path;
}

function changeOf({ before, after }: FilePlan): string {
  if (before === after) return "unchanged";
  if (after === undefined) return "removed";
  return before === undefined ? "new" : "changed";
}

function closing(
  { name, title }: Agent,
  plans: readonly FilePlan[],
  isWritten: boolean,
  { project, content, skill, url, undo }: ConnectFlags,
): string {
  if (undo === true) return `${title} is as it was before.`;
  if (!plans.some(isChange)) return `${title} is connected: there is nothing to change.`;
  const scope = project === true ? " --project" : "";
  if (isWritten)
    return `${title} is connected. Restart it. To take it back: obspan connect ${name}${scope} --undo`;
  const rest = [
    content === true && "--content",
    skill === true && "--skill",
    url !== undefined && `--url ${url}`,
  ];
  const flags = rest.filter((flag) => flag !== false).map((flag) => ` ${flag}`);
  return `Nothing is written yet. To write it: obspan connect ${name}${scope}${flags.join("")} --write`;
}
