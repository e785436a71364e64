/** How often spans are written to ClickHouse, unless there are many (storage.md, "Writing"). */
export const WRITE_EVERY_MS = 1000;
