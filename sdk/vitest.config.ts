import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ["test/**/*.test.ts"],
    testTimeout: 20_000,
    // Two cores: more workers would only wait for each other.
    maxWorkers: 2,
  },
});
