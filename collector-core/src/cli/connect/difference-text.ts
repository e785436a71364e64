import { createPatch } from "diff";
import type { Colours } from "../output/colours.js";
import { pathText, type Setting } from "../settings/settings-format.js";

/** A line that is longer says nothing, and may hold the whole file. */
const MAX_LINE = 200;
/** Words in the name of a setting whose value is nobody's business. */
const SECRET = /key|token|secret|passw|auth|credential|cookie|bearer|sk-/i;

/**
 * The difference of two texts of a settings file, for a terminal. Values of other settings that look secret are left out: they
 * stand beside those that are written.
 */
export function differenceText(
  before: string | undefined,
  after: string | undefined,
  settings: readonly Setting[],
  colours: Colours,
): string {
  const patch = createPatch("", before ?? "", after ?? "", "", "", { context: 2 });
  const lines = patch
    .split("\n")
    .slice(4)
    .filter((line) => line !== "" && !line.startsWith("\\"));
  if (lines.some((line) => line.length > MAX_LINE)) return summaryText(before, after, settings, colours);
  const own = new Set(
    settings.flatMap(({ value }) => JSON.stringify(value, null, 1).split("\n")).map((line) => line.trim()),
  );
  return lines
    .map((line) => {
      const text = `${withoutSecret(line, own)}\n`;
      if (line.startsWith("+")) return colours.green(text);
      if (line.startsWith("-")) return colours.red(text);
      return colours.dim(text);
    })
    .join("");
}

function summaryText(
  before: string | undefined,
  after: string | undefined,
  settings: readonly Setting[],
  colours: Colours,
): string {
  const isRemoved = (after ?? "").length < (before ?? "").length;
  const size = (before ?? after ?? "").length.toLocaleString("en-US");
  const changes = settings.map(({ path, value }) =>
    isRemoved
      ? colours.red(`-${pathText(path)}\n`)
      : colours.green(`+${pathText(path)} = ${JSON.stringify(value)}\n`),
  );
  return colours.dim(`(${size} characters, in long lines)\n`) + changes.join("");
}

function withoutSecret(line: string, own: ReadonlySet<string>): string {
  if (!SECRET.test(line) || line.includes("OBS_API_KEY") || own.has(line.slice(1).trim())) return line;
  const end = line.search(/[:=]/);
  return end === -1 ? line : `${line.slice(0, end + 1)} …`;
}
