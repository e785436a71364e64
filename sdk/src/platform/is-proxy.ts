import { types } from "node:util";

/** True for a Proxy: whatever is done with it can run code of the app. */
export const { isProxy } = types;
