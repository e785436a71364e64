import { defineConfig } from "eslint/config";
import * as regexp from "eslint-plugin-regexp";
import importX, { createNodeResolver } from "eslint-plugin-import-x";
import tseslint from "typescript-eslint";
import { describedErrorInLog } from "./scripts/lint/described-error-in-log.mjs";
import { noAmbiguousRepetition } from "./scripts/lint/no-ambiguous-repetition.mjs";
import { noInheritedLookup } from "./scripts/lint/no-inherited-lookup.mjs";
import { noUncopiedPart } from "./scripts/lint/no-uncopied-part.mjs";

/**
 * The allowed directions of imports (ARCHITECTURE.md): `target` must not import `from`.
 * sdk/wire <- collector-core <- desktop <- e2e. The parts of the core do not import each other; assembly/ joins them through
 * interfaces.ts.
 */
const core = "./collector-core/src";
const parts = ["ingest", "queue", "pipeline", "store", "export", "evaluation", "query"];
const zones = [
  {
    target: "./sdk/src",
    from: ["./collector-core", "./desktop", "./e2e"],
    message: "The SDK imports no other package.",
  },
  {
    target: core,
    from: ["./desktop", "./e2e"],
    message: "The core must not import the packages that run it.",
  },
  {
    target: "./desktop/src/renderer",
    from: [core],
    except: ["./analysis", "./api-schema"],
    message: "The renderer imports only the API schema and the analysis of the core.",
  },
  {
    target: `${core}/analysis`,
    from: [core],
    except: ["./analysis", "./api-schema"],
    message: "The analysis runs in browsers and imports only the API schema of the core.",
  },
  {
    target: `${core}/api-schema`,
    from: [core],
    except: ["./api-schema"],
    message: "The API schema runs in browsers and imports nothing else of the core.",
  },
  {
    target: `${core}/span`,
    from: [core],
    except: ["./span", "./api-schema", "./hashing", "./runtime"],
    message: "span/ is shared by all parts and imports none.",
  },
  {
    target: `${core}/otlp`,
    from: parts.map((part) => `${core}/${part}`),
    message: "otlp/ is shared by all parts and imports none (contract 6).",
  },
  {
    target: `${core}/share`,
    from: parts.map((part) => `${core}/${part}`),
    message: "share/ lays out what it is given: it reads no store, and its redactor is passed in.",
  },
  ...["runtime", "hashing"].map((room) => ({
    target: `${core}/${room}`,
    from: [core],
    except: ["./runtime", "./hashing"],
    message: "runtime/ and hashing/ are shared by all parts and import none.",
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
  rules: {
    "described-error-in-log": describedErrorInLog,
    "no-ambiguous-repetition": noAmbiguousRepetition,
    "no-inherited-lookup": noInheritedLookup,
    "no-uncopied-part": noUncopiedPart,
  },
};

/** A call accepts about 120,000 arguments; a list from a request may be longer. */
const NO_SPREAD_OF_LISTS = {
  selector:
    "CallExpression[callee.property.name=/^(push|unshift|splice|min|max|fromCharCode|fromCodePoint)$/] > SpreadElement",
  message:
    "Spreading a long list into arguments overflows the stack. Use appendAll, or add items one by one.",
};
/** `#` fields are private at runtime too; one style for all classes. */
const NO_PRIVATE_MODIFIER = {
  selector:
    "TSParameterProperty[accessibility=/private|protected/], PropertyDefinition[accessibility=/private|protected/], " +
    "MethodDefinition[accessibility=/private|protected/]",
  message: "Private members are # fields and # methods.",
};
const NO_NATIVE_TITLE = {
  selector:
    "JSXOpeningElement[name.name=/^([a-z]|Link$)/] > JSXAttribute[name.name='title'], " +
    "JSXOpeningElement[name.type='JSXMemberExpression'] > JSXAttribute[name.name='title']",
  message: "A native title is not shown on keyboard focus and not announced. Use data-tip.",
};
const NO_BARE_STREAMS = {
  selector: "MemberExpression[object.name='process'][property.name=/^std(out|err)$/]",
  message: "Writing to a closed stdout or stderr crashes the process. Use logging/terminal.ts.",
};

/** The rules of TypeScript itself are in .oxlintrc.json. */
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
      // Compiled where their dependencies are, by npm run test:frameworks.
      "sdk/test/frameworks/**/*.{ts,tsx}",
    ],
  },
  {
    files: ["**/*.{ts,tsx,js,mjs,cjs}"],
    plugins: { regexp, obspan: ownRules },
    rules: {
      // A hostile text must not block a thread: time must be linear in its length.
      "regexp/no-super-linear-backtracking": ["error", { report: "potential" }],
      "regexp/no-super-linear-move": ["error", { report: "potential", ignorePartial: false }],
      "obspan/no-ambiguous-repetition": "error",
    },
  },
  {
    files: ["**/*.ts", "**/*.tsx"],
    plugins: { "import-x": importX },
    languageOptions: { parser: tseslint.parser },
    settings: {
      "import-x/resolver-next": [createNodeResolver({ extensionAlias: { ".js": [".ts", ".tsx", ".js"] } })],
    },
    rules: { "import-x/no-restricted-paths": ["error", { zones }] },
  },
  {
    // The files of the rules of this project that know types.
    files: ["collector-core/src/**/*.ts", "desktop/src/**/*.{ts,tsx}"],
    languageOptions: {
      parserOptions: {
        // Plain programs, which read the types of other packages as built, take less time than a project service.
        project: ["collector-core/tsconfig.json", "desktop/src/*/tsconfig.json"],
        tsconfigRootDir: import.meta.dirname,
      },
    },
  },
  {
    files: ["**/*.ts"],
    ignores: [
      "collector-core/src/main.ts",
      "sdk/src/platform/environment.ts",
      "sdk/src/register/index.ts",
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
          message: "Only main.ts (in the SDK, platform/environment.ts and register) reads the environment.",
        },
      ],
    },
  },
  {
    files: ["collector-core/src/**/*.ts", "desktop/src/**/*.{ts,tsx}"],
    rules: { "obspan/no-inherited-lookup": "error" },
  },
  {
    files: ["collector-core/src/**/*.ts"],
    rules: { "obspan/described-error-in-log": "error" },
  },
  {
    files: ["collector-core/src/{analysis,api-schema}/**/*.ts"],
    rules: {
      "no-restricted-imports": [
        "error",
        { patterns: [{ regex: "^node:", message: "It runs in browsers." }] },
      ],
    },
  },
  {
    // Files that keep texts beyond a request.
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
    files: ["desktop/src/renderer/**/*.{ts,tsx}"],
    ignores: ["desktop/src/renderer/api/url-component.ts"],
    rules: {
      "no-restricted-globals": [
        "error",
        ...["encodeURIComponent", "encodeURI", "decodeURIComponent", "decodeURI"].map((name) => ({
          name,
          message: "It throws for some texts, and a throw blanks the page: api/url-component.ts does not.",
        })),
      ],
    },
  },
  {
    files: ["desktop/src/**/*.{ts,tsx}"],
    rules: { "no-restricted-syntax": ["error", NO_PRIVATE_MODIFIER, NO_NATIVE_TITLE] },
  },
  {
    files: ["sdk/src/**/*.ts"],
    rules: { "no-restricted-syntax": ["error", NO_SPREAD_OF_LISTS, NO_PRIVATE_MODIFIER] },
  },
  {
    files: ["collector-core/src/**/*.ts"],
    rules: {
      "no-restricted-syntax": ["error", NO_SPREAD_OF_LISTS, NO_BARE_STREAMS, NO_PRIVATE_MODIFIER],
    },
  },
);
