import type * as table from "../sdk/src/config/options.js";

export declare function renderSdkOptions(options: Pick<typeof table, "OPTION_LIST" | "variableOf">): string;
