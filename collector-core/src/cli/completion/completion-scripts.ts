import { allNodes, type CommandNode } from "./command-tree.js";

/** The shells, each with its script for a tree of commands. */
export const SCRIPTS: ReadonlyMap<string, (root: CommandNode) => string> = new Map([
  ["bash", bashScript],
  ["zsh", zshScript],
  ["fish", fishScript],
]);

/** How each shell loads its script. */
export const INSTALLATION: ReadonlyMap<string, string> = new Map([
  ["bash", "obspan completion bash > ~/.local/share/bash-completion/completions/obspan"],
  ["zsh", 'obspan completion zsh > "${fpath[1]}/_obspan"'],
  ["fish", "obspan completion fish > ~/.config/fish/completions/obspan.fish"],
]);

/** The command that the words before the cursor name: `obspan store info`. */
function walk(root: CommandNode): string {
  const paths = allNodes(root)
    .slice(1)
    .map(({ path }) => `"${path}"`);
  return `      ${paths.join("|")}) command="$command $word" ;;`;
}

function bashScript(root: CommandNode): string {
  const nodes = allNodes(root);
  const values = nodes.flatMap(({ path, options }) =>
    options
      .filter(({ hasValue }) => hasValue)
      .flatMap(({ flags, values: choices }) =>
        flags.map((flag) => `    "${path} ${flag}") words="${choices.join(" ")}" ;;`),
      ),
  );
  const words = nodes.map(({ path, ...node }) => `    "${path}") words="${wordsOf(node).join(" ")}" ;;`);
  return `# bash completion of obspan. Written by \`obspan completion bash\`.
_obspan() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" command=obspan word words=""
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$command $word" in
${walk(root)}
      *" --") return ;;
    esac
  done
  case "$command $previous" in
${values.join("\n")}
    *)
  case "$command" in
${words.join("\n")}
  esac ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _obspan obspan
`;
}

function zshScript(root: CommandNode): string {
  const nodes = allNodes(root);
  const values = nodes.flatMap(({ path, options }) =>
    options
      .filter(({ hasValue }) => hasValue)
      .flatMap(({ flags, values: choices }) =>
        flags.map((flag) =>
          choices.length === 0
            ? `    "${path} ${flag}") _files; return ;;`
            : `    "${path} ${flag}") compadd -- ${choices.join(" ")}; return ;;`,
        ),
      ),
  );
  const described = nodes.map(({ path, commands, options, words }) => {
    const items = [
      ...commands.map((inner) => [lastWord(inner.path), inner.description]),
      ...words.map((word) => [word, ""]),
      ...options.flatMap(({ flags, description }) => flags.map((flag) => [flag, description])),
    ];
    const list = items.map(
      ([word = "", text = ""]) => `'${word}${text === "" ? "" : `:${text.replaceAll(":", "")}`}'`,
    );
    return `    "${path}") items=(${list.join(" ")}) ;;`;
  });
  return `#compdef obspan
# zsh completion of obspan. Written by \`obspan completion zsh\`.
_obspan() {
  local command=obspan word
  local -a items
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$command $word" in
${walk(root)}
      *" --") _normal; return ;;
    esac
  done
  case "$command \${words[CURRENT-1]}" in
${values.join("\n")}
  esac
  case "$command" in
${described.join("\n")}
  esac
  _describe -V obspan items || _files
}
if [ "$funcstack[1]" = "_obspan" ]; then _obspan "$@"; else compdef _obspan obspan; fi
`;
}

function fishScript(root: CommandNode): string {
  const lines = allNodes(root).flatMap(({ path, commands, options, words }) => {
    const start = `complete -c obspan -n '__obspan_is "${path}"'`;
    return [
      ...commands.map((inner) => `${start} -f -a ${lastWord(inner.path)} -d '${inner.description}'`),
      ...(words.length > 0 ? [`${start} -f -a '${words.join(" ")}'`] : []),
      ...options.map(({ flags, description, hasValue, values }) => {
        const names = flags.map((flag) =>
          flag.startsWith("--") ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`,
        );
        const value = values.length > 0 ? ` -x -a '${values.join(" ")}'` : hasValue ? " -r" : "";
        return `${start} ${names.join(" ")}${value} -d '${description}'`;
      }),
    ];
  });
  return `# fish completion of obspan. Written by \`obspan completion fish\`.
function __obspan_is
  set -l command obspan
  for word in (commandline -opc)[2..-1]
    switch "$command $word"
      case ${allNodes(root)
        .slice(1)
        .map(({ path }) => `"${path}"`)
        .join(" ")}
        set command "$command $word"
      case "* --"
        return 1
    end
  end
  test "$command" = "$argv[1]"
end
${lines.join("\n")}
`;
}

function wordsOf({ commands, options, words }: Omit<CommandNode, "path">): string[] {
  return [...commands.map(({ path }) => lastWord(path)), ...words, ...options.flatMap(({ flags }) => flags)];
}

function lastWord(path: string): string {
  return path.slice(path.lastIndexOf(" ") + 1);
}
