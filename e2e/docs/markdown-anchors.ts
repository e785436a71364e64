/** The anchors of a Markdown page on GitHub: of its headings, and of `<a id="…">`. */
export function anchorsOf(markdown: string): ReadonlySet<string> {
  const prose = markdown.replace(/^```.*?^```/gms, "");
  const anchors = new Set<string>();
  for (const [, heading = ""] of prose.matchAll(/^#{1,6} (.*)$/gm)) anchors.add(slugOf(heading));
  for (const [, id = ""] of prose.matchAll(/<a id="([^"]*)">/g)) anchors.add(id);
  return anchors;
}

/** The anchor that GitHub generates for a heading. */
export function slugOf(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .replace(/\s/g, "-");
}
