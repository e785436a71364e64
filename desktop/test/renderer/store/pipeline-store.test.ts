import { expect, it } from "vitest";
import { createPipelineStore } from "../../../src/renderer/store/pipeline-store.js";
import { fakeTime } from "../fake-api.js";

it("fetches the pipeline again after a reconnect while it is watched", async () => {
  const time = fakeTime();
  let fetched = 0;
  const store = createPipelineStore({
    api: {
      getConfig: async () => ({
        file: null,
        file_exists: false,
        not_writable: null,
        file_problems: [],
        config: {},
      }),
      getStats: async () => {
        fetched++;
        return {} as never;
      },
      getEvents: async () => ({}) as never,
    },
    isPaused: () => false,
    ...time,
  });
  store.getState().onConnected(0);
  await time.pass(5000);
  expect(fetched).toBe(0);
  const stop = store.getState().watch();
  await time.pass(5000);
  store.getState().onConnected(0);
  await time.pass(5000);
  expect(fetched).toBe(2);
  stop();
});
