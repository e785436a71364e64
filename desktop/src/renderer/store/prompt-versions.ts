import type { TraceComparison, TraceGroup } from "@obspan/collector-core/api-schema";

/** A version of a prompt, with the figures of all runs that used it. */
export interface PromptVersion {
  readonly version: string;
  readonly group: TraceGroup;
}

/** A prompt that both runs used. */
export interface CommonPrompt {
  readonly name: string;
  /** The version of each run. */
  readonly a: string;
  readonly b: string;
}

/** The same with all its versions. */
export interface PromptVersions extends CommonPrompt {
  readonly versions: readonly PromptVersion[];
}

/** The name and the version of a prompt, as a summary has them: `support.reply@14`. */
export function promptOf(prompt: string): { readonly name: string; readonly version: string | undefined } {
  const at = prompt.lastIndexOf("@");
  return at <= 0
    ? { name: prompt, version: undefined }
    : { name: prompt.slice(0, at), version: prompt.slice(at + 1) };
}

/** The prompt that both runs used: the first of which they used different versions, otherwise the first. */
export function commonPrompt({ a, b }: Pick<TraceComparison, "a" | "b">): CommonPrompt | undefined {
  const inA = new Map(versionsIn(a.prompts));
  const common = versionsIn(b.prompts).flatMap(([name, version]): CommonPrompt[] => {
    const before = inA.get(name);
    return before === undefined ? [] : [{ name, a: before, b: version }];
  });
  return common.find((prompt) => prompt.a !== prompt.b) ?? common[0];
}

function versionsIn(prompts: readonly string[]): (readonly [name: string, version: string])[] {
  return prompts.flatMap((prompt) => {
    const { name, version } = promptOf(prompt);
    return version === undefined ? [] : [[name, version] as const];
  });
}

/** The versions of a prompt among groups of traces by prompt, the latest version first. */
export function versionsOf(name: string, groups: readonly TraceGroup[]): PromptVersion[] {
  return groups
    .flatMap((group) => {
      const prompt = promptOf(group.value ?? "");
      return prompt.name === name && prompt.version !== undefined ? [{ version: prompt.version, group }] : [];
    })
    .toSorted((x, y) => y.version.localeCompare(x.version, undefined, { numeric: true }));
}
