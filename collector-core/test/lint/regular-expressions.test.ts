import { ESLint } from "eslint";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const eslint = new ESLint({ cwd: root });

/** The rules that refuse an expression, by the project's own configuration. */
async function refusals(expression: string): Promise<(string | null)[]> {
  const [result] = await eslint.lintText(`export const pattern = ${expression};\n`, {
    filePath: "scripts/pattern.mjs",
  });
  return (result?.messages ?? []).map(({ ruleId }) => ruleId);
}

describe("regular expressions in the sources", () => {
  it.each([
    [String.raw`/^(.*?)(\.\d+)(.*)$/`, "regexp/no-super-linear-backtracking"],
    [String.raw`/^[\w\s]*={0,2}\s*$/`, "regexp/no-super-linear-backtracking"],
    [String.raw`/\/+$/`, "regexp/no-super-linear-move"],
    [String.raw`/(?:[[\]!*_~<](?:[^\w\n]{0,2})){200}/`, "obspan/no-ambiguous-repetition"],
    [String.raw`/(?:\d{1,3}\.?){20}x/`, "obspan/no-ambiguous-repetition"],
  ])("%s is refused", async (expression, rule) => {
    expect(await refusals(expression)).toContain(rule);
  });

  it.each([
    String.raw`/(?<!\/)\/+$/`,
    String.raw`/^(?:[0-9a-f]{2}){16,64}$/i`,
    String.raw`/^(?:\d{4}[ -]?){4}$/`,
    String.raw`/^(?:[^"\\]|\\.)*$/`,
  ])("%s is taken", async (expression) => {
    expect(await refusals(expression)).toEqual([]);
  });

  it.each(["sdk/src", "collector-core/src", "desktop/src/renderer", "e2e", "scripts"])(
    "are held to it in %s",
    async (folder) => {
      const config = (await eslint.calculateConfigForFile(`${folder}/any.ts`)) as {
        rules: Readonly<Record<string, unknown[]>>;
      };
      expect(config.rules["regexp/no-super-linear-backtracking"]?.[0]).toBe(2);
      expect(config.rules["regexp/no-super-linear-move"]?.[0]).toBe(2);
      expect(config.rules["obspan/no-ambiguous-repetition"]?.[0]).toBe(2);
    },
  );
});
