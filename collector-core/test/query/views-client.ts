import type { ErrorBody } from "../../src/api-schema/errors.js";
import type { View, ViewList } from "../../src/api-schema/views.js";
import { startCollector } from "../running-collector.js";

/** A collector with functions for its saved views. */
export async function viewsClient(settings: Record<string, string> = {}) {
  const running = await startCollector(settings);
  const address = (id: string): string => `${running.url}/v1/views/${id}`;
  return {
    ...running,
    get: async (): Promise<readonly View[]> => (await running.get<ViewList>("/v1/views")).views,
    async put(
      id: string,
      body: unknown,
    ): Promise<{ readonly status: number; readonly body: View | ErrorBody }> {
      const headers = { "Content-Type": "application/json" };
      const response = await fetch(address(id), { method: "PUT", headers, body: JSON.stringify(body) });
      return { status: response.status, body: (await response.json()) as View | ErrorBody };
    },
    async remove(id: string): Promise<number> {
      const response = await fetch(address(id), { method: "DELETE" });
      await response.arrayBuffer();
      return response.status;
    },
  };
}
