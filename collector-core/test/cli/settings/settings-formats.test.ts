import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { JSONC } from "../../../src/cli/settings/jsonc-format.js";
import {
  SettingsProblem,
  type Setting,
  type SettingsFormat,
} from "../../../src/cli/settings/settings-format.js";
import { TOML } from "../../../src/cli/settings/toml-format.js";
import { randomRuns } from "../../random-runs.js";

const ENTRY: Setting = {
  path: ["mcpServers", "obspan"],
  value: { type: "http", url: "http://127.0.0.1:8080/mcp", headers: { "X-API-Key": "${OBS_API_KEY}" } },
};
const SWITCH: Setting = { path: ["env", "OTEL_TRACES_EXPORTER"], value: "otlp" };
const SERVER: Setting = { path: ["mcp_servers", "obspan"], value: { url: "http://127.0.0.1:8080/mcp" } };
const EXPORTER: Setting = {
  path: ["otel", "trace_exporter"],
  value: { "otlp-http": { endpoint: "http://127.0.0.1:8080/v1/traces", protocol: "binary" } },
};

function connect(format: SettingsFormat, text: string, settings: readonly Setting[]): string {
  return settings.reduce((changed, setting) => format.add(changed, setting), text);
}

function undo(format: SettingsFormat, text: string, settings: readonly Setting[]): string {
  return settings.reduceRight((changed, { path }) => format.remove(changed, path), text);
}

describe("settings in JSON with comments", () => {
  it.each([
    [
      "lines",
      '{\n  "a": 1,\n  "b": { "c": 2 }\n}\n',
      '{\n  "a": 1,\n  "b": { "c": 2 },\n  "env": {\n    "OTEL_TRACES_EXPORTER": "otlp"\n  }\n}\n',
    ],
    [
      "a trailing comma",
      '{\n\t"a": 1,\n}',
      '{\n\t"a": 1,\n\t"env": {\n\t\t"OTEL_TRACES_EXPORTER": "otlp"\n\t},\n}',
    ],
    [
      "comments behind the last value",
      '{\n  "a": 1 // one, two\n  // end\n}',
      '{\n  "a": 1, // one, two\n  "env": {\n    "OTEL_TRACES_EXPORTER": "otlp"\n  }\n  // end\n}',
    ],
    [
      "a comment before the comma",
      '{\n  "a": 1 /* , */ , // x\n}',
      '{\n  "a": 1 /* , */ , // x\n  "env": {\n    "OTEL_TRACES_EXPORTER": "otlp"\n  },\n}',
    ],
    [
      "the object that it belongs to",
      '{\r\n  "env": {\r\n    "A": "1"\r\n  }\r\n}\r\n',
      '{\r\n  "env": {\r\n    "A": "1",\r\n    "OTEL_TRACES_EXPORTER": "otlp"\r\n  }\r\n}\r\n',
    ],
    ["one line", '{"env":{"A":"1"},"b":[1]}', '{"env":{"A":"1","OTEL_TRACES_EXPORTER":"otlp"},"b":[1]}'],
    [
      "one line with spaces",
      '{ "env": { "A": "1" } }',
      '{ "env": { "A": "1", "OTEL_TRACES_EXPORTER": "otlp" } }',
    ],
    ["an empty object in one line", '{"env":{}}', '{"env":{"OTEL_TRACES_EXPORTER":"otlp"}}'],
    [
      "an object with a comment alone",
      '{\n  "env": {\n    // none\n  }\n}',
      '{\n  "env": {\n    // none\n    "OTEL_TRACES_EXPORTER": "otlp"\n  }\n}',
    ],
    ["nothing", "", '{\n  "env": {\n    "OTEL_TRACES_EXPORTER": "otlp"\n  }\n}\n'],
    ["braces", "{}\n", '{\n  "env": {\n    "OTEL_TRACES_EXPORTER": "otlp"\n  }\n}\n'],
  ])("adds to %s and changes nothing else", (_, text, expected) => {
    expect(JSONC.add(text, SWITCH)).toBe(expected);
  });

  it.each([
    ["a comma missing", '{"a":1 "b":2}', "line 1 is not valid JSON"],
    ["text after the end", '{\n"a":1}\n{"b":2}', "line 3 is not valid JSON"],
    ["a list", "[1]", "it is not a JSON object"],
    ["a repeated key", '{"env":{"A":1},"env":{}}', 'it has the key "env" twice'],
    ["another type on the way", '{"env":"x"}', "env is no object"],
    ["only a comment", "// nothing\n", "line"],
  ])("refuses %s", (_, text, message) => {
    expect(() => JSONC.add(text, SWITCH)).toThrow(SettingsProblem);
    expect(() => JSONC.add(text, SWITCH)).toThrow(message);
  });

  it("removes its values where others have changed the file since", () => {
    const connected = connect(JSONC, '{\n  "a": 1 // one\n}\n', [SWITCH, ENTRY]);
    const changed = JSONC.add(connected, { path: ["env", "OTHER"], value: "2" });
    expect(undo(JSONC, changed, [SWITCH, ENTRY])).toBe(
      '{\n  "a": 1, // one\n  "env": {\n    "OTHER": "2"\n  },\n  "mcpServers": {\n  }\n}\n',
    );
  });

  it("takes back exactly what it added, in any layout", () => {
    const layout = fc.constantFrom<readonly [string | number, string]>(
      [2, "\n"],
      ["\t", "\r\n"],
      [4, "\n"],
      [0, "\n"],
    );
    const values = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }), {
      maxKeys: 5,
      noNullPrototype: true,
    });
    fc.assert(
      fc.property(values, values, layout, (top, env, [indentation, end]) => {
        // An object that has no value yet has lost the space between its braces afterwards.
        const { mcpServers: _, ...rest } = top;
        const settings = {
          ...rest,
          env: { first: "1", ...env, OTEL_TRACES_EXPORTER: undefined },
          mcpServers: { other: {} },
        };
        const text = JSON.stringify(settings, null, indentation).replaceAll("\n", end);
        expect(undo(JSONC, connect(JSONC, text, [SWITCH, ENTRY]), [SWITCH, ENTRY])).toBe(text);
      }),
      { numRuns: randomRuns(30) },
    );
  });
});

describe("settings in TOML", () => {
  const SECTIONS =
    '\n[otel.trace_exporter.otlp-http]\nendpoint = "http://127.0.0.1:8080/v1/traces"\nprotocol = "binary"\n' +
    '\n[mcp_servers.obspan]\nurl = "http://127.0.0.1:8080/mcp"\n';

  it.each([
    ["values and sections", 'model = "x" # mine\n[ a . "b c" ]\nk = [ 1, # one\n 2 ]\n'],
    ["a section of the same name", '[otel]\n# env\nenvironment = "dev" # keep\n\n[tui]\nx = 1\n'],
    ["dotted keys", 'otel.environment = "dev"\n[mcp_servers.other]\ncommand = "x"\n'],
    ["a section of another exporter", '[otel.exporter.otlp-http]\nendpoint = "x"\nprotocol = "json"\n'],
    ["lists of tables", "[[x]]\na = 1\n[[x]]\na = 2\n"],
    [
      "dates, numbers and texts",
      'd = 1979-05-27T07:32:00-08:00\nt = 07:32:00\nbig = 9223372036854775807\nn = nan\ns = """\nm\\\n  l"""\nl = \'C:\\x\'\n',
    ],
  ])("adds sections behind %s", (_, text) => {
    const connected = connect(TOML, text, [EXPORTER, SERVER]);
    expect(connected).toBe(text + SECTIONS);
    expect(undo(TOML, connected, [EXPORTER, SERVER])).toBe(text);
  });

  it.each([
    "[__proto__]\na = 1\n",
    "a.__proto__.a = 1\n",
    "x = { __proto__ = { a = 1 } }\n",
    "[[__proto__]]\na = 1\n",
    "[constructor.prototype]\na = 1\n",
  ])("takes names of JavaScript as keys like any other: %j", (text) => {
    expect(TOML.remove(TOML.add(text, SERVER), SERVER.path)).toBe(text);
    expect({}).not.toHaveProperty("a");
    expect(JSON.stringify(TOML.parse(text))).toContain('"a":');
  });

  it("keeps the line ends", () => {
    const connected = TOML.add("a = 1\r\n", SERVER);
    expect(connected).toBe('a = 1\r\n\r\n[mcp_servers.obspan]\r\nurl = "http://127.0.0.1:8080/mcp"\r\n');
    expect(TOML.remove(connected, SERVER.path)).toBe("a = 1\r\n");
  });

  it.each([
    [
      'otel = { environment = "dev" } # c\n',
      EXPORTER,
      'otel = { environment = "dev", trace_exporter = { otlp-http = { endpoint = "http://127.0.0.1:8080/v1/traces", protocol = "binary" } } } # c\n',
    ],
    ["mcp_servers = {}\n", SERVER, 'mcp_servers = { obspan = { url = "http://127.0.0.1:8080/mcp" } }\n'],
  ])("adds to an inline table", (text, setting, expected) => {
    const connected = TOML.add(text, setting);
    expect(connected).toBe(expected);
    expect(TOML.parse(TOML.remove(connected, setting.path))).toEqual(TOML.parse(text));
  });

  it.each([
    ["an invalid file", "a = \n", "is not valid TOML"],
    ["a section twice", "[a]\nb = 1\n[a]\n", "line 3 is not valid TOML"],
    ["another type on the way", 'otel = "on"\n', "TOML"],
    ["a list of tables on the way", "[[otel]]\na = 1\n", "edited without changing more"],
  ])("refuses %s", (_, text, message) => {
    expect(() => TOML.add(text, EXPORTER)).toThrow(SettingsProblem);
    expect(() => TOML.add(text, EXPORTER)).toThrow(message);
  });

  it("takes back exactly what it added", () => {
    const key = fc.stringMatching(/^[a-z]{1,8}$/).filter((name) => !["otel", "mcp_servers"].includes(name));
    const value = fc.oneof(
      fc.integer().map(String),
      fc.boolean().map(String),
      fc.stringMatching(/^[ -~]*$/).map((text) => JSON.stringify(text)),
      fc.constant("[ 1,\n  # two\n  2 ]"),
    );
    const section = fc
      .tuple(key, fc.uniqueArray(key), value)
      .map(([, keys, text]) => keys.map((name) => `${name}=${text} # c`));
    fc.assert(
      fc.property(fc.uniqueArray(key, { maxLength: 4 }), section, (names, lines) => {
        const text = names.map((name) => `[ ${name} ]\n${lines.join("\n")}\n`).join("\n");
        expect(undo(TOML, connect(TOML, text, [EXPORTER, SERVER]), [EXPORTER, SERVER])).toBe(text);
      }),
      { numRuns: randomRuns(20) },
    );
  });
});
