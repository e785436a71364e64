import type { Command } from "commander";

/** What a completion needs of a command. */
export interface CommandNode {
  /** `obspan store info`. */
  readonly path: string;
  readonly description: string;
  readonly commands: readonly CommandNode[];
  readonly options: readonly OptionNode[];
  /** Words that an argument can be. */
  readonly words: readonly string[];
}

/** What a completion needs of an option. */
export interface OptionNode {
  /** `-h`, `--help`. */
  readonly flags: readonly string[];
  readonly description: string;
  readonly hasValue: boolean;
  /** Values that it can have; empty for any. */
  readonly values: readonly string[];
}

/** Reads the commands and options that are registered. */
export function commandTree(command: Command, outer = ""): CommandNode {
  const path = outer === "" ? command.name() : `${outer} ${command.name()}`;
  const help = command.createHelp();
  return {
    path,
    description: plain(command.description()),
    commands: help
      .visibleCommands(command)
      .filter((inner) => inner !== command)
      .map((inner) => commandTree(inner, path)),
    options: help.visibleOptions(command).map((option) => ({
      flags: [option.short, option.long].filter((flag) => flag !== undefined),
      description: plain(option.description),
      hasValue: option.required || option.optional,
      values: option.argChoices ?? [],
    })),
    words: command.registeredArguments.flatMap((argument) => argument.argChoices ?? []),
  };
}

/** Every command of a tree, the outermost first. */
export function allNodes(node: CommandNode): CommandNode[] {
  return [node, ...node.commands.flatMap(allNodes)];
}

/** The first sentence, without what a shell would read. */
function plain(text: string): string {
  return (text.split(/[.;:]\s/, 1)[0] ?? "").replaceAll(/['"`\\$\n]/g, "").replace(/\.$/, "");
}
