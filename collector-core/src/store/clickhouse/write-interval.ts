/** How often spans are written to ClickHouse, unless there are many. */
export const WRITE_EVERY_MS = 1000;
