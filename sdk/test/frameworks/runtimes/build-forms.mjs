/** Builds the app in each form: as it is, as CommonJS, and bundled. */
import { cpSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const { resolve } = createRequire(join(process.cwd(), "package.json"));
const { build: buildWithEsbuild, transform } = await load("esbuild");
const { build: buildWithVite } = await load("vite");

/** The files that start the app. */
const ENTRIES = ["app", "traced", "ai-sdk", "ai-sdk-registered"];

/** CommonJS packages that are bundled into ES modules call `require()` for the modules of Node. */
const REQUIRE =
  'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);';

/**
 * Builds a form of the app.
 *
 * @param {import("./cells.mjs").Form} form
 * @returns {Promise<string>} its folder, with the entries.
 */
export async function buildForm(form) {
  const folder = join(process.cwd(), "forms", form.name.replaceAll(/\W+/g, "-"));
  mkdirSync(folder, { recursive: true });
  if (form.bundler === "esbuild") await bundleWithEsbuild(form, folder);
  else if (form.bundler === "vite") await bundleWithVite(folder);
  else if (form.extension === "cjs") await writeCommonJs(folder);
  else cpSync("app", folder, { recursive: true });
  return folder;
}

async function bundleWithEsbuild({ extension, hasRegister = false }, folder) {
  for (const entry of ENTRIES) {
    const lines = [...(hasRegister ? ["@obspan/sdk/register"] : []), `./app/${entry}.mjs`];
    await buildWithEsbuild({
      stdin: {
        contents: lines.map((line) => `import "${line}";`).join("\n"),
        resolveDir: process.cwd(),
      },
      outfile: join(folder, `${entry}.${extension}`),
      bundle: true,
      platform: "node",
      target: "node20",
      format: extension === "mjs" ? "esm" : "cjs",
      logLevel: "error",
      ...(extension === "mjs" && { banner: { js: REQUIRE } }),
    });
  }
}

async function bundleWithVite(folder) {
  await buildWithVite({
    root: process.cwd(),
    configFile: false,
    logLevel: "error",
    ssr: { noExternal: true },
    build: {
      ssr: true,
      outDir: folder,
      emptyOutDir: false,
      target: "node20",
      rolldownOptions: {
        input: Object.fromEntries(ENTRIES.map((entry) => [entry, `app/${entry}.mjs`])),
        output: { entryFileNames: "[name].mjs", chunkFileNames: "[name].mjs" },
      },
    },
  });
}

/** The same files with `require()`, as TypeScript compiles them for CommonJS. */
async function writeCommonJs(folder) {
  const options = { format: "cjs", platform: "node", target: "node20" };
  for (const file of readdirSync("app")) {
    const { code } = await transform(readFileSync(join("app", file), "utf8"), options);
    const name = file.replace(".mjs", ".cjs");
    writeFileSync(join(folder, name), code.replaceAll('.mjs")', '.cjs")'));
  }
}

async function load(name) {
  return await import(pathToFileURL(resolve(name)).href);
}
