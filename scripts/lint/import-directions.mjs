import { posix, relative, sep } from "node:path";

/**
 * The allowed directions of imports (ARCHITECTURE.md): `target` must not import `from`.
 * sdk/wire <- collector-core <- desktop <- e2e. The parts of the core do not import each other; assembly/ joins them through
 * interfaces.ts.
 */
const CORE = "collector-core/src";
const PARTS = ["ingest", "queue", "pipeline", "store", "export", "evaluation", "query", "shared"];
const ZONES = [
  {
    target: "sdk/src",
    from: ["collector-core", "desktop", "e2e"],
    message: "The SDK imports no other package.",
  },
  {
    target: CORE,
    from: ["desktop", "e2e"],
    message: "The core must not import the packages that run it.",
  },
  {
    target: "desktop/src/renderer",
    from: [CORE],
    except: [`${CORE}/analysis`, `${CORE}/api-schema`],
    message: "The renderer imports only the API schema and the analysis of the core.",
  },
  {
    target: `${CORE}/analysis`,
    from: [CORE],
    except: [`${CORE}/analysis`, `${CORE}/api-schema`, `${CORE}/steps`],
    message: "The analysis runs in browsers and imports only the API schema and the steps of the core.",
  },
  {
    target: `${CORE}/steps`,
    from: [CORE],
    except: [`${CORE}/steps`],
    message: "The steps run in browsers and import nothing of the core.",
  },
  {
    target: `${CORE}/api-schema`,
    from: [CORE],
    except: [`${CORE}/api-schema`],
    message: "The API schema runs in browsers and imports nothing else of the core.",
  },
  {
    target: `${CORE}/span`,
    from: [CORE],
    except: [`${CORE}/span`, `${CORE}/api-schema`, `${CORE}/hashing`, `${CORE}/runtime`],
    message: "span/ is shared by all parts and imports none.",
  },
  {
    target: `${CORE}/otlp`,
    from: PARTS.map((part) => `${CORE}/${part}`),
    message: "otlp/ is shared by all parts and imports none (contract 6).",
  },
  {
    target: `${CORE}/share`,
    from: PARTS.map((part) => `${CORE}/${part}`),
    message: "share/ lays out what it is given: it reads no store, and its redactor is passed in.",
  },
  {
    target: `${CORE}/redis`,
    from: [CORE],
    except: [`${CORE}/redis`, `${CORE}/runtime`],
    message: "redis/ is shared by all parts and imports none.",
  },
  ...["runtime", "hashing"].map((room) => ({
    target: `${CORE}/${room}`,
    from: [CORE],
    except: [`${CORE}/runtime`, `${CORE}/hashing`, `${CORE}/steps`],
    message: "runtime/ and hashing/ are shared by all parts and import none.",
  })),
  ...PARTS.map((part) => ({
    target: `${CORE}/${part}`,
    from: [
      ...PARTS.filter((other) => other !== part).map((other) => `${CORE}/${other}`),
      `${CORE}/collector.ts`,
      `${CORE}/assembly`,
      `${CORE}/config`,
    ],
    message: "Parts do not import each other: assembly/ joins them through interfaces.ts.",
  })),
];

/** A lint rule for the directions of imports, those of types included. */
export const importDirections = {
  meta: { type: "problem", messages: { direction: "{{message}}" }, schema: [] },
  create(context) {
    const file = relative(context.cwd, context.filename).replaceAll(sep, "/");
    const zones = ZONES.filter(({ target }) => isIn(target)(file));
    if (zones.length === 0) return {};
    function check({ source }) {
      if (typeof source?.value !== "string") return;
      const imported = pathOf(source.value, file);
      for (const { from, except = [], message } of zones)
        if (from.some((each) => isIn(each)(imported)) && !except.some((each) => isIn(each)(imported)))
          context.report({ node: source, messageId: "direction", data: { message } });
    }
    return {
      ImportDeclaration: check,
      ImportExpression: check,
      TSImportType: check,
      ExportAllDeclaration: check,
      ExportNamedDeclaration: check,
    };
  },
};

/** The path of the source that an import names. Packages of this project are named like their directories. */
function pathOf(name, file) {
  const [, workspace, part = ""] = /^@obspan\/([^/]+)(\/.*)?$/.exec(name) ?? [];
  if (workspace !== undefined) return `${workspace}/src${part}`;
  if (!name.startsWith(".")) return name;
  return posix.join(posix.dirname(file), name).replace(/\.js$/, ".ts");
}

function isIn(directory) {
  return (path) => path === directory || path.startsWith(`${directory}/`);
}
