import { readFileSync } from "node:fs";

const SKILL_NAME = "obspan";
/** The file of the skill, below the directory in which an agent looks for skills. */
export const SKILL_FILE = `${SKILL_NAME}/SKILL.md`;

/** The skill for coding agents, as the package ships it. */
export function readSkill(packageDirectory: URL): string {
  return readFileSync(new URL(`skills/${SKILL_FILE}`, packageDirectory), "utf8");
}
