import { defineConfig } from "eslint/config";
import * as regexp from "eslint-plugin-regexp";
import importX, { createNodeResolver } from "eslint-plugin-import-x";
import tseslint from "typescript-eslint";
import { noAmbiguousRepetition } from "./scripts/lint/no-ambiguous-repetition.mjs";
import { noUncopiedPart } from "./scripts/lint/no-uncopied-part.mjs";

/**
 * The directions in which imports may point (ARCHITECTURE.md): `from` may not be imported by `target`.
 * sdk/wire <- collector-core <- desktop <- e2e, and the parts of the core do not know each other: assembly/ joins
 * them through interfaces.ts.
 */
const core = "./collector-core/src";
const parts = ["ingest", "queue", "pipeline", "store", "export", "evaluation", "query"];
const zones = [
  {
    target: "./sdk/src",
    from: ["./collector-core", "./desktop", "./e2e"],
    message: "The SDK knows nobody.",
  },
  {
    target: core,
    from: ["./desktop", "./e2e"],
    message: "The core does not know who runs it.",
  },
  {
    target: "./desktop/src/renderer",
    from: [core],
    except: ["./api-schema"],
    message: "The renderer reads only the API schema.",
  },
  {
    target: `${core}/api-schema`,
    from: [core],
    except: ["./api-schema"],
    message: "The API schema is read in browsers: it depends on nothing else.",
  },
  {
    target: `${core}/span`,
    from: [core],
    except: ["./span", "./api-schema", "./hashing", "./runtime"],
    message: "What a span means depends on no part.",
  },
  {
    target: `${core}/otlp`,
    from: parts.map((part) => `${core}/${part}`),
    message: "Contract 6 is for every part, and knows none.",
  },
  ...["runtime", "hashing"].map((room) => ({
    target: `${core}/${room}`,
    from: [core],
    except: ["./runtime", "./hashing"],
    message: "What every part uses depends on none.",
  })),
  ...parts.map((part) => ({
    target: `${core}/${part}`,
    from: [
      ...parts.filter((other) => other !== part).map((other) => `${core}/${other}`),
      `${core}/collector.ts`,
      `${core}/assembly`,
      `${core}/config`,
    ],
    message: "Parts do not import each other: assembly/ joins them through interfaces.ts.",
  })),
];

const ownRules = {
  rules: { "no-ambiguous-repetition": noAmbiguousRepetition, "no-uncopied-part": noUncopiedPart },
};

/** A call takes some 120,000 arguments; a list from outside may have more. */
const NO_SPREAD_OF_LISTS = {
  selector:
    "CallExpression[callee.property.name=/^(push|unshift|splice|min|max|fromCharCode|fromCodePoint)$/] > SpreadElement",
  message: "A long list overflows the stack as arguments: add its items one by one.",
};
const NO_BARE_STREAMS = {
  selector: "MemberExpression[object.name='process'][property.name=/^std(out|err)$/]",
  message:
    "A stream of `process` ends the process where its other end is closed or full: logging/terminal.ts.",
};

export default defineConfig(
  {
    ignores: [
      "**/dist/**",
      "**/dist-test/**",
      "**/node_modules/**",
      "**/.cache/**",
      "collector-core/bundle/**",
      "collector-core/ui/**",
      "collector-core/src/otlp/proto/**",
    ],
  },
  {
    files: ["**/*.{ts,tsx,js,mjs,cjs}"],
    plugins: { regexp, obspan: ownRules },
    rules: {
      // One hostile text must not hold a thread: time grows with the length of the text and no faster.
      "regexp/no-super-linear-backtracking": ["error", { report: "potential" }],
      "regexp/no-super-linear-move": ["error", { report: "potential", ignorePartial: false }],
      "obspan/no-ambiguous-repetition": "error",
    },
  },
  {
    files: ["**/*.ts", "**/*.tsx"],
    extends: [tseslint.configs.strictTypeChecked],
    plugins: { "import-x": importX },
    languageOptions: {
      parserOptions: {
        projectService: {
          allowDefaultProject: [
            "*/vitest.config.ts",
            "e2e/vitest.screenshots.config.ts",
            "desktop/vite.*.config.ts",
            "sdk/tsdown.config.ts",
          ],
        },
        tsconfigRootDir: import.meta.dirname,
      },
    },
    settings: {
      "import-x/resolver-next": [createNodeResolver({ extensionAlias: { ".js": [".ts", ".tsx", ".js"] } })],
    },
    rules: {
      "import-x/no-restricted-paths": ["error", { zones }],
      // Numbers in messages are what the messages are for.
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
      // Fastify's plugins and handlers are async by their type.
      "@typescript-eslint/require-await": "off",
      "@typescript-eslint/no-confusing-void-expression": ["error", { ignoreArrowShorthand: true }],
      "@typescript-eslint/consistent-type-imports": "error",
      "@typescript-eslint/switch-exhaustiveness-check": "error",
    },
  },
  {
    files: ["**/*.ts"],
    ignores: [
      "collector-core/src/main.ts",
      "sdk/src/runtime/configure.ts",
      "desktop/src/main/main.ts",
      "**/test/**",
      "e2e/**",
    ],
    rules: {
      "no-restricted-properties": [
        "error",
        {
          object: "process",
          property: "env",
          message: "Only main.ts (in the SDK, configure.ts) reads the environment.",
        },
      ],
    },
  },
  {
    // What keeps texts for longer than a request.
    files: [
      `${core}/store/**/*.ts`,
      `${core}/pipeline/metrics/**/*.ts`,
      `${core}/pipeline/stats/**/*.ts`,
      `${core}/evaluation/evaluation-re*.ts`,
      `${core}/query/evaluation-log.ts`,
      `${core}/query/live-*.ts`,
      `${core}/ingest/{batch-deduplicator,client-network,failed-keys,link-memory,rate-limits,refused-request,tenant}.ts`,
      `${core}/span/{error-category,normalize-span,span-facts}.ts`,
      `${core}/{logging,hashing}/recent-*.ts`,
    ].map((path) => path.slice(2)),
    rules: { "obspan/no-uncopied-part": "error" },
  },
  {
    files: ["sdk/src/**/*.ts"],
    rules: { "no-restricted-syntax": ["error", NO_SPREAD_OF_LISTS] },
  },
  {
    files: ["collector-core/src/**/*.ts"],
    rules: { "no-restricted-syntax": ["error", NO_SPREAD_OF_LISTS, NO_BARE_STREAMS] },
  },
  {
    files: ["**/test/**/*.ts", "**/test/**/*.tsx", "e2e/**/*.ts"],
    rules: {
      "@typescript-eslint/no-unsafe-assignment": "off",
      "@typescript-eslint/no-unsafe-member-access": "off",
      "@typescript-eslint/no-unsafe-argument": "off",
      // Helpers are taken apart (`const { post, get } = …`); none of them uses `this`.
      "@typescript-eslint/unbound-method": "off",
    },
  },
);
