/** Given to Node by `--import`: from here on `electron` is the double, for code that knows nothing of it. */
import { register } from "node:module";

const double = new URL("../../dist-test/electron-double/electron.js", import.meta.url).href;
const hooks = `export async function resolve(specifier, context, next) {
  if (specifier === "electron") return { url: ${JSON.stringify(double)}, shortCircuit: true };
  return await next(specifier, context);
}`;
register(`data:text/javascript,${encodeURIComponent(hooks)}`);
