/** @typedef {{ getModuleInfo(id: string): import("rolldown").ModuleInfo | null }} ModuleGraph */

/**
 * A file of modules that the start shares with others.
 *
 * @typedef {object} SharedFile
 * @property {string} name
 * @property {RegExp} loadedBy - the modules that load those of the file.
 * @property {RegExp} [importing] - only modules that import one of these, so that who needs none of them does not read them.
 */

/**
 * Puts what `obspan serve` loads at its start into few files: what it shares with others, and the rest. Without this, each module that
 * two commands share is a file: reading a hundred took a third of the start.
 *
 * @param {object} options
 * @param {readonly string[]} options.entries - the paths of the entries; the first one's file keeps what it loads.
 * @param {RegExp} options.start - the modules that the start loads on demand.
 * @param {readonly SharedFile[]} options.shared - a module is in the first that fits.
 * @returns {import("rolldown").CodeSplittingOptions}
 */
export function chunksOfStart(options) {
  /** @type {Map<string, string> | undefined} */
  let names;
  return {
    // Each module is in the file that it is named for.
    includeDependenciesRecursively: false,
    groups: [{ name: (id, graph) => (names ??= nameModules(graph, options)).get(id) ?? null }],
  };
}

/**
 * @param {ModuleGraph} graph
 * @param {Parameters<typeof chunksOfStart>[0]} options
 * @returns {Map<string, string>} the file of each module of the start that is not in the file of the first entry.
 */
function nameModules(graph, { entries, start, shared }) {
  const all = [...closure(graph, entries, true)];
  const loadedBy = (pattern) =>
    closure(
      graph,
      all.filter((id) => pattern.test(id)),
    );
  const imports = (id, pattern) => [...closure(graph, [id])].some((imported) => pattern.test(imported));
  const ofMain = closure(graph, entries.slice(0, 1));
  const files = shared.map((file) => ({ ...file, modules: loadedBy(file.loadedBy) }));
  const names = new Map();
  for (const id of loadedBy(start)) {
    if (ofMain.has(id)) continue;
    const file = files.find(
      ({ modules, importing }) => modules.has(id) && (importing === undefined || imports(id, importing)),
    );
    names.set(id, file?.name ?? "serve");
  }
  return names;
}

/**
 * The modules that are loaded with some others.
 *
 * @param {ModuleGraph} graph
 * @param {readonly string[]} from
 * @param {boolean} [onDemand] - also what they load on demand.
 * @returns {Set<string>}
 */
function closure(graph, from, onDemand = false) {
  const found = new Set(from);
  for (const id of found) {
    const info = graph.getModuleInfo(id);
    for (const next of info?.importedIds ?? []) found.add(next);
    if (onDemand) for (const next of info?.dynamicallyImportedIds ?? []) found.add(next);
  }
  return found;
}
