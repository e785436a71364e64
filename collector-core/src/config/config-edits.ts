import { nearest, suggestion } from "../api-schema/nearest.js";
import type { YamlEdit } from "./edit-yaml.js";
import type { ConfigResult, LoadedConfig } from "./load-config.js";
import { isMasked, maskUserInfo } from "./mask-credentials.js";
import type { Option } from "./option.js";
import { OPTION_LIST } from "./options.js";
import { quoted } from "./quoted.js";
import { HIDDEN, showRaw } from "./show-value.js";

/** A new value of an option. */
export interface ConfigEdit extends YamlEdit {
  readonly option: Option;
}

/** Values as edits, and the problems of all values, one line each. */
export function readEdits(values: Readonly<Record<string, unknown>>): {
  readonly edits: readonly ConfigEdit[];
  readonly problems: readonly string[];
} {
  const edits: ConfigEdit[] = [];
  const problems: string[] = [];
  const count = Object.keys(values).length;
  if (count > OPTION_LIST.length)
    return { edits, problems: [`config has ${count} keys; there are ${OPTION_LIST.length} options`] };
  for (const [key, value] of Object.entries(values)) {
    const option = OPTION_LIST.find((candidate) => candidate.key === key);
    if (option === undefined) {
      const known = OPTION_LIST.map((candidate) => candidate.key);
      problems.push(`${showRaw(key)}: unknown key${suggestion(nearest(key, known))}`);
    } else if (option.envOnly) {
      problems.push(`${key}: can only be set by ${option.env}`);
    } else if (option.isLocal) {
      problems.push(
        `${key}: can only be set by ${option.env} or in the file itself, because it names a place on the disk`,
      );
    } else if (value === null) {
      edits.push({ option, value: undefined });
    } else if (option.secret && value === HIDDEN) {
      // Keeps the stored value.
      continue;
    } else if (option.secret && containsHidden(value)) {
      problems.push(
        `${key}: ${HIDDEN} replaces a hidden value; send every part in full, or only "${HIDDEN}" to keep the stored value`,
      );
    } else {
      const reading = option.kind.check(value);
      edits.push({ option, value });
      const written = JSON.stringify(value);
      if (isMasked(written)) problems.push(`${key}: ${HIDDEN} replaces a hidden value; send it in full`);
      if (reading.ok || isMasked(written)) continue;
      const shown = quoted(option, written);
      const details = option.secret ? [] : [reading.detail, ...(reading.moreDetails ?? [])].filter(Boolean);
      problems.push(
        `${key} = ${shown}: must be ${option.kind.rule}${details.map((each) => `; ${maskUserInfo(each)}`).join("")}`,
      );
    }
  }
  return { edits, problems };
}

/**
 * The problems of new addresses that would get stored credentials. Whoever may write an option must not learn a secret by
 * sending it to a server of its own.
 */
export function redirectedCredentials(
  edits: readonly ConfigEdit[],
  current: ConfigResult,
  { config, sources }: LoadedConfig,
): string[] {
  const before: Readonly<Record<string, unknown>> = current.type === "loaded" ? current.loaded.config : {};
  const after: Readonly<Record<string, unknown>> = config;
  const sourceOf: Readonly<Record<string, string>> = sources;
  return edits.flatMap(({ option: { key, credentials } }) => {
    const secret = OPTION_LIST.find((candidate) => candidate.key === credentials);
    if (secret === undefined || !isSet(after[secret.key]) || originOf(after[key]) === undefined) return [];
    if (originOf(before[key]) === originOf(after[key])) return [];
    if (sourceOf[secret.key] === secret.env)
      return [
        `${key}: ${secret.key} is set by ${secret.env} and would be sent to the new address; change both where the collector is started`,
      ];
    if (edits.some(({ option }) => option === secret)) return [];
    return [
      `${key}: ${secret.key} would be sent to the new address; send its new value too, or null to remove it`,
    ];
  });
}

function isSet(value: unknown): boolean {
  return typeof value === "object" && value !== null ? Object.keys(value).length > 0 : value !== undefined;
}

/** The origin of an address; undefined if there is none. */
function originOf(address: unknown): string | undefined {
  return typeof address === "string" ? new URL(address).origin : undefined;
}

/** True if a part of a value is the placeholder of a secret. Writing it overwrites the secret. */
function containsHidden(value: unknown): boolean {
  if (typeof value === "string") return value.trim() === HIDDEN;
  if (typeof value !== "object" || value === null) return false;
  return Object.values(value).some(containsHidden);
}
