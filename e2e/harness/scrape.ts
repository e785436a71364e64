/** One sample of an exposition. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** A response of GET /metrics. */
export interface Scrape {
  readonly samples: readonly Sample[];
  /** The sum of all samples of a name with these labels, and any others; 0 without a sample. */
  value(name: string, labels?: Readonly<Record<string, string>>): number;
  /** The values of a family, by one label. */
  by(name: string, label: string): Record<string, number>;
}

/** Scrapes a collector in the text format. */
export async function scrape(url: string): Promise<Scrape> {
  const response = await fetch(`${url}/metrics`, { signal: AbortSignal.timeout(10_000) });
  if (!response.ok) throw new Error(`GET /metrics answered ${response.status}.`);
  return parseExposition(await response.text());
}

/** Only the lines that are asked for are parsed: a page has thousands. */
function parseExposition(text: string): Scrape {
  const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  const ofFamily = (name: string): Sample[] =>
    lines.filter((line) => line.startsWith(name) && " {".includes(line.charAt(name.length))).map(parseSample);
  return {
    get samples() {
      return lines.map(parseSample);
    },
    value: (name, labels = {}) =>
      ofFamily(name)
        .filter((each) => Object.entries(labels).every(([label, value]) => each.labels[label] === value))
        .reduce((total, each) => total + each.value, 0),
    by: (name, label) =>
      Object.fromEntries(ofFamily(name).map((each) => [each.labels[label] ?? "", each.value])),
  };
}

function parseSample(line: string): Sample {
  const [, name, labels = "", value] = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/s.exec(line) ?? [];
  if (name === undefined || value === undefined) throw new Error(`Not a line of an exposition: ${line}`);
  const pairs = [...labels.matchAll(/(?<!\w)(\w+)="((?:[^"\\]|\\.)*)"/gs)];
  return {
    name,
    labels: Object.fromEntries(pairs.map(([, label, text]) => [label ?? "", unescaped(text ?? "")])),
    value: value === "+Inf" ? Infinity : Number(value),
  };
}

function unescaped(text: string): string {
  return text.replace(/\\(.)/gs, (_all, character: string) => (character === "n" ? "\n" : character));
}
