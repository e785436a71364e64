import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");

/** Has what nobody holds any more collected now. */
export const collectGarbage = runInNewContext("gc") as () => void;
