/** True for paths that answer with what was recorded. Probes, scrapes and pages have others. */
export function isOfApi(path: string): boolean {
  return path.startsWith("/v1/") || path === "/mcp";
}
