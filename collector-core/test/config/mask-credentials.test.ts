import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { describeConfig } from "../../src/config/describe-config.js";
import { isMasked, maskUserInfo } from "../../src/config/mask-credentials.js";
import { OPTION_LIST } from "../../src/config/options.js";
import { load, problems } from "./loading.js";

const URL_OPTIONS = OPTION_LIST.filter(({ kind, doc }) => /\bURL\b/.test(kind.rule + doc));
const PASSWORD = "hunter2";
/** One of the options needs it. */
const QUEUE = { OBS_SERVER_QUEUE_URL: "redis://localhost" };
const JUDGE = { OBS_SERVER_EVALUATION_JUDGE_BASE_URL: "" };

it("finds the options that are URLs", () => {
  expect(URL_OPTIONS.map(({ key }) => key)).toEqual([
    "trace_store.url",
    "exporter.otlp_endpoint",
    "evaluation.judge_base_url",
  ]);
});

describe.each(URL_OPTIONS)("$key", ({ key, env, section, leaf, envOnly }) => {
  it.each([
    `http://user:${PASSWORD}@localhost:4318`,
    `https://${PASSWORD}@localhost`,
    `http://:${PASSWORD}@localhost/base`,
    `http://user:${PASSWORD}/x@localhost`,
    `http://user:${PASSWORD}?x@localhost`,
    `http://us er:${PASSWORD} @localhost`,
    `http://user:${PASSWORD}%40localhost`,
    `http://user:${PASSWORD}`,
    `ftp://user:${PASSWORD}@localhost`,
    `user:${PASSWORD}@localhost`,
    `http://${"x".repeat(300)}:${PASSWORD}@localhost`,
    `http://u:${PASSWORD}${"x".repeat(300)}@localhost`,
    `http://localhost/?api_key=${PASSWORD}`,
    `http://localhost/?${PASSWORD}`,
    `http://localhost/#${PASSWORD}`,
  ])("refuses %s, and does not show what may be a credential", (value) => {
    const found = [
      ...problems({ env: { ...JUDGE, [env]: value } }),
      ...(envOnly ? [] : problems({ yaml: `${section}:\n  ${leaf}: ${JSON.stringify(value)}\n` })),
    ];
    expect(found).toHaveLength(envOnly ? 1 : 2);
    for (const problem of found) {
      expect(problem).toContain(`${key} = `);
      expect(problem).not.toContain(PASSWORD);
    }
  });

  it("explains where a credential belongs", () => {
    const [problem] = problems({ env: { [env]: `http://user:${PASSWORD}@localhost:4318` } });
    expect(problem).toContain("without user name, password, query or fragment");
    expect(problem).toContain("http://***@localhost:4318");
  });

  it.each(["http://localhost:4318", "https://example.com/a/@scope/b", "http://[::1]:4318/"])(
    "takes %s, and shows it as it is",
    (value) => {
      const loaded = load({ env: { ...QUEUE, [env]: value } });
      expect(describeConfig(loaded).config[key]?.value).toBe(value);
    },
  );
});

it("no option shows the password of a URL in a problem or in the description of the configuration", () => {
  const urls = [`http://user:${PASSWORD}@localhost:4318/x`, `[{"a":"http://user:${PASSWORD}@localhost"}]`];
  for (const { key, env, section, leaf, envOnly } of OPTION_LIST) {
    if (key === "config_file") continue;
    for (const url of urls) {
      const given = [{ env: { [env]: url } }, { yaml: `${section}: { ${leaf}: ${JSON.stringify(url)} }` }];
      for (const each of envOnly ? given.slice(0, 1) : given) {
        const found = problems(each);
        expect({ key, leaks: found.join("\n").includes(PASSWORD) }).toEqual({ key, leaks: false });
        if (found.length > 0) continue;
        const shown = JSON.stringify(describeConfig(load(each)));
        expect({ key, leaks: shown.includes(PASSWORD) }).toEqual({ key, leaks: false });
      }
    }
  }
});

it("masks every password in a displayed URL, whatever its characters", () => {
  const password = fc.string({ minLength: 1, maxLength: 20 }).map((text) => `<${text}>`);
  fc.assert(
    fc.property(fc.stringMatching(/^[a-z]{0,8}$/), password, (user, secret) => {
      const url = `http://${user}:${secret}@localhost:4318/path`;
      expect(maskUserInfo(url)).not.toContain(secret);
      const [problem] = problems({ env: { OBS_SERVER_EXPORTER_OTLP_ENDPOINT: url } });
      expect(problem).not.toContain(secret);
    }),
  );
});

it("rejects a masked value that overwrites a hidden value", () => {
  expect(isMasked(maskUserInfo("http://user:hunter2@localhost"))).toBe(true);
});
