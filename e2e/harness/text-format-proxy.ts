import { createServer, type Server } from "node:http";

/**
 * A proxy between a scraper and a collector that always requests the text format.
 *
 * @returns the server, and its `host:port`.
 */
export async function startTextFormatProxy(url: string): Promise<{ server: Server; address: string }> {
  const server = createServer((request, response) => {
    fetch(url + (request.url ?? "/"), { headers: { Accept: "text/plain;version=0.0.4" } })
      .then(async (answer) => {
        response.writeHead(answer.status, { "Content-Type": answer.headers.get("content-type") ?? "" });
        response.end(Buffer.from(await answer.arrayBuffer()));
      })
      .catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("The proxy has no address.");
  return { server, address: `127.0.0.1:${address.port}` };
}
