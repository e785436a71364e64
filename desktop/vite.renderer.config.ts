import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";

const RENDERER = fileURLToPath(new URL("./src/renderer", import.meta.url));
/** The collector for `npm run dev`, which proxies it to the page's origin. */
const COLLECTOR = "http://127.0.0.1:8080";

export default defineConfig({
  root: RENDERER,
  plugins: [classImports(), react(), compiledWhenLoaded(), precompressed()],
  css: {
    modules: {
      generateScopedName: scopedName,
    },
  },
  build: {
    outDir: "../../dist/renderer",
    emptyOutDir: true,
    // Fonts and icons stay files: the page's policy forbids data URLs for fonts.
    assetsInlineLimit: 0,
    target: "es2023",
    sourcemap: false,
    // The limit is 220 kB compressed before the first page, and a test checks it; this is the same uncompressed.
    chunkSizeWarningLimit: 660,
    rolldownOptions: {
      output: {
        // One script for what every page needs: without these groups, each set of pages that share a module gets a script of its
        // own, and the first page waits for 70 of them.
        codeSplitting: {
          groups: [
            { name: "start", tags: ["$initial"] },
            { name: "shared", minShareCount: 2 },
          ],
        },
      },
    },
    // Lists the licenses of the bundled packages.
    license: { fileName: "licenses.md" },
  },
  server: {
    host: "127.0.0.1",
    port: 5173,
    proxy: { "/v1": COLLECTOR, "/metrics": COLLECTOR, "/openapi.json": COLLECTOR },
  },
});

/** Scripts of which most is not needed when they are loaded: the first one, and the Markdown parser, which runs once by itself. */
const COMPILED_WHEN_CALLED = /^(?:index|markdown)$/;

/**
 * Asks the browser to compile the scripts that are loaded before they are needed in the background, and not function by function
 * while the user waits: https://v8.dev/blog/explicit-compile-hints. Other browsers see a comment.
 */
function compiledWhenLoaded(): Plugin {
  return {
    name: "obspan:compiled-when-loaded",
    apply: "build",
    enforce: "post",
    generateBundle: {
      // After Vite has put its own line first.
      order: "post",
      handler(_, bundle) {
        for (const chunk of Object.values(bundle)) {
          if (chunk.type === "chunk" && !COMPILED_WHEN_CALLED.test(chunk.name))
            chunk.code = `//# allFunctionsCalledOnLoad\n${chunk.code}`;
        }
      },
    },
  };
}

/** Files that compression makes much smaller; fonts and images are compressed already. */
const COMPRESSED = /\.(?:js|css|html|svg|md|txt)$/;
/** Smaller files fit into one packet as they are. */
const SMALLEST_BYTES = 1024;

/** Writes each text file of the build as brotli and as gzip beside it; the collector serves these. */
function precompressed(): Plugin {
  let directory = "";
  return {
    name: "obspan:precompressed",
    apply: "build",
    configResolved({ root, build }) {
      directory = join(root, build.outDir);
    },
    closeBundle() {
      for (const name of readdirSync(directory, { recursive: true })) {
        const file = join(directory, String(name));
        if (!COMPRESSED.test(file) || statSync(file).size < SMALLEST_BYTES) continue;
        const content = readFileSync(file);
        const params = {
          [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
          [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
        };
        writeFileSync(`${file}.br`, brotliCompressSync(content, { params }));
        writeFileSync(`${file}.gz`, gzipSync(content, { level: constants.Z_BEST_COMPRESSION }));
      }
    },
  };
}

/**
 * `trace-row_selected_x9`: readable in the browser, and the same in every build. Its end tells files of the same name in other
 * folders apart.
 */
function scopedName(name: string, file: string): string {
  return `${basename(file, ".module.css")}_${name}_${folderTag(dirname(file))}`;
}

const tags = new Map<string, string>();

/** Three letters for a folder; no other one has them. */
function folderTag(directory: string): string {
  const folder = relative(RENDERER, directory).split(sep).join("/");
  const tag = createHash("sha256").update(folder).digest("hex").slice(0, 3);
  const other = tags.get(tag);
  if (other !== undefined && other !== folder)
    throw new Error(
      `The folders ${other} and ${folder} get the same class names. Take more letters of the hash.`,
    );
  tags.set(tag, folder);
  return tag;
}

/**
 * Resolves the classes that a style sheet takes from another one: `@value icon as alias from "./icon.module.css"`.
 * Vite resolves them as well, but copies all rules of the other style sheet into this one.
 */
function classImports(): Plugin {
  return {
    name: "obspan:class-imports",
    enforce: "pre",
    transform: {
      filter: { id: /\.module\.css$/ },
      handler(css, id) {
        const imported = new Map<string, string>();
        const rules = css.replace(/^@value (.+) from "(.+)";$/gm, (_, names: string, file: string) => {
          for (const item of names.split(", ")) {
            const [name = item, alias = name] = item.split(" as ");
            imported.set(alias, scopedName(name, resolve(dirname(id), file)));
          }
          return "";
        });
        return rules.replace(/\.([a-z]\w*)/gi, (selector, alias: string) => {
          const scoped = imported.get(alias);
          return scoped === undefined ? selector : `:global(.${scoped})`;
        });
      },
    },
  };
}
