/** Fails unless a tag such as v1.2.3 names the version of every package that is released. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./jobs.mjs";

const [, , tag = ""] = process.argv;
const wrong = ["sdk", "collector-core", "desktop"].flatMap((name) => {
  const { version } = JSON.parse(readFileSync(join(root, name, "package.json"), "utf8"));
  return tag === `v${version}` ? [] : [`${name} has version ${version}`];
});
if (wrong.length > 0) {
  console.error(`The tag ${tag} cannot be released: ${wrong.join(", ")}.`);
  process.exit(1);
}
