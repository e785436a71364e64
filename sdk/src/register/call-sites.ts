/** What newer versions of Node have than the types. */
interface Util {
  readonly getCallSites?: (
    frames: number,
  ) => readonly { readonly functionName: string; readonly scriptName: string }[];
}

/** Frames of this package and of Node between a resolve hook and the code of the app. */
const MAX_FRAMES = 20;

/**
 * True if a resolve hook runs because the app only asks where a module is: `require.resolve()`, `import.meta.resolve()`. Node
 * tells its hooks no difference. Call it in the hook.
 */
export function isOnlyResolved(): boolean {
  const { getCallSites } = process.getBuiltinModule("node:util") as unknown as Util;
  const frames = getCallSites?.(MAX_FRAMES) ?? [];
  const isOfNode = frames.map(({ scriptName }) => scriptName.startsWith("node:internal/"));
  // This package, then Node, then what called Node.
  const caller = isOfNode.indexOf(false, isOfNode.indexOf(true));
  return caller > 0 && frames[caller - 1]?.functionName === "resolve";
}
