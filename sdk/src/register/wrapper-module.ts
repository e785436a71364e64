/** What a wrapper module calls with its library, on `globalThis`. */
const ON_LOAD = Symbol.for("obspan.register.onLoad");

/** The beginning of the URL of a wrapper module. */
const PREFIX = "data:text/javascript,/*obspan*/";

/** A line of a comment. Examples in comments have exports. */
const COMMENT_LINE = /^[\t ]*\*.*$/gm;

/** A default export, or what looks like one. */
const DEFAULT_EXPORT = /\bexport\s+default\b|\bas\s+(?:default\b|["']default)|[{,]\s*default\s*[,}]/;

/** What only an ES module has, or what looks like it. */
const ES_MODULE = /\b(?:import|export)\b\s*[\w"'*{]/;

/** Sets what wrapper modules call when their library has been evaluated. It must not throw. */
export function setOnLoad(onLoad: (url: string, module: unknown) => void): void {
  Object.defineProperty(globalThis, ON_LOAD, { value: onLoad, configurable: true });
}

/** True for the URL of a wrapper module. */
export function isWrapperUrl(url: string | undefined): boolean {
  return url?.startsWith(PREFIX) === true;
}

/**
 * The URL of a module that has the exports of a library's module, and reports the library before the app's code runs. The
 * library itself is loaded unchanged, and its classes are the same for everyone that imports them.
 *
 * @param format - the format that Node has resolved the module to; undefined if only the code of the module tells.
 * @returns undefined if the module has another format, or a default export, which `export *` leaves out.
 */
export function wrapperUrl(url: string, format: unknown): string | undefined {
  const code = process
    .getBuiltinModule("node:fs")
    .readFileSync(new URL(url), "utf8")
    .replaceAll(COMMENT_LINE, "");
  const isCommonJs = format === "commonjs" || ((format ?? undefined) === undefined && !ES_MODULE.test(code));
  if (!isCommonJs && (format !== "module" || DEFAULT_EXPORT.test(code))) return undefined;
  const from = ` from ${JSON.stringify(url)}`;
  const statements = [
    // The names that Node finds in a module of CommonJS may not be all; its default export has all.
    `import ${isCommonJs ? "" : "* as "}library${from}`,
    `globalThis[Symbol.for(${JSON.stringify(ON_LOAD.description)})]?.(${JSON.stringify(url)}, library)`,
    `export *${from}`,
    ...(isCommonJs ? [`export { default }${from}`] : []),
  ];
  return PREFIX + encodeURIComponent(statements.join(";"));
}
