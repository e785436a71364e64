import { describe, expect, it } from "vitest";
import { BUILT_IN_PATTERNS } from "../../../src/pipeline/redaction/built-in-patterns.js";
import { createKeyReader, NO_MEANING } from "../../../src/pipeline/redaction/key-meaning.js";
import { attributesInSteps, valueInSteps } from "../../../src/pipeline/redaction/redact-in-steps.js";
import { createValueRedactor } from "../../../src/pipeline/redaction/value-redactor.js";
import { runAtOnce } from "../../../src/runtime/steps.js";
import { redact, textRedactor } from "./support.js";

/** Typical texts of LLM applications with words that also name secrets. */
const TEXTS: Record<string, readonly string[]> = {
  "verdicts of judges": [
    "<pass>true</pass>",
    "<pass>yes</pass>",
    "<pass>partially</pass>",
    "<verdict><pass>mostly</pass><score>0.8</score></verdict>",
    "<pass>12/15</pass>",
    "<pass>needs_review</pass>",
    "<pass>2nd-round</pass>",
    "<first_pass>a draft of 2026</first_pass>",
    "<result pass='true'>ok</result>",
    '{"pass": true, "reason": "All 12 criteria are met."}',
    '{"pass": "partial", "score": 0.75}',
    "pass: yes, score: 4/5, pass@10: 0.82",
    "PASS (12/15), FAIL (3/15)",
    "Pass rate: 87.5% over 1200 runs",
  ],
  "output of tokenizers": [
    "<token>un</token><token>believ</token><token>able</token>",
    "<token>15339</token>",
    "<next_token>abc</next_token>",
    "<next_token>abc0123456789defghi</next_token>",
    "<page_token>12</page_token>",
    '{"token": "Ġworld", "logprob": -0.0123456}',
    '{"token": " 2026", "bytes": [32, 50, 48], "top_logprobs": []}',
    "token: 15339, text: believ",
    '"eos_token": "<|endoftext|>", "bos_token": "<|begin_of_text|>"',
    '"pad_token_id": 50256, "eos_token_id": [128001, 128009]',
    "special_token: <|im_start|>",
  ],
  "usage, prices and times per token": [
    '"cost_per_token": 0.0000025',
    "input_cost_per_token=1.5e-07",
    "time_to_first_token: 0.34567812",
    "time_per_output_token=0.0123456",
    "price per token: 0.00000125.",
    '{"usage": {"prompt_tokens": 1200, "completion_tokens": 34, "total_tokens": 1234}}',
    "max_tokens=4096, max_completion_tokens=128000",
  ],
  "page tokens": [
    "pagination_token: abc12345678",
    '"nextPageToken": "CAUQAA12345"',
    '"next_token": "eyJvZmZzZXQiOjEwfQ"',
    "cursor_token=b2Zmc2V0OjEw",
    "aws s3api list-objects --starting-token abc12345678",
    "gcloud list --page-token abc12345678",
    "aws logs filter-log-events --next-token f/35212345678",
  ],
  "command lines": [
    "vllm serve --max-token 4096",
    "run --num-token 4096 --image-token 32000",
    "run --max-token=128k",
    '["--max-token", "4096"]',
    "gcloud auth --credentials ./creds.json",
    "gcloud auth --credentials creds.json",
    "ssh --private-key ~/.ssh/id_rsa host",
    "ansible-playbook --private-key /home/ann/.ssh/id_ed25519 site.yml",
    "wget --cookie cookies.txt",
    "export GOOGLE_APPLICATION_CREDENTIALS=/run/secrets/creds.json",
    "gcloud auth --credentials=./creds2.json --private-key=~/.ssh/id_rsa",
    "private_key: ~/.ssh/id_rsa",
    "tool --token file:///run/secrets/t1 --secret arn:aws:secretsmanager:eu-1:1:secret:db",
    "docker build --secret id=npmrc,src=.npmrc .",
    "docker build --secret type=file,id=key,source=key.pem .",
    "docker service create --secret source=db,target=/run/db nginx",
    "gcloud secrets versions access latest --secret=db-password",
    "evaluate --pass 2nd-round",
    "evaluate --pass round2 --first-pass draft-1",
    "pytest --pass all_tests",
    "curl -fsSL https://get.example.com | sh && docker run -u 1000:1000 alpine",
    "apt-get install curl; docker exec -u www-data:www-data web ls",
    "curl localhost; sudo -u postgres:postgres psql",
    "curl localhost\nsudo -u postgres:postgres psql",
    JSON.stringify("curl localhost\nsudo -u postgres:postgres psql"),
    "We use curl here. Then run docker exec -u www-data:www-data web ls.",
    "curl localhost && chown -u root:root file",
    "wget -q https://x.example & docker run -u app:app image",
    "curl -u $USER:$PASSWORD https://x.example",
  ],
  cookies: [
    "Set a cookie: a=b",
    "The cookie: chocolate=yes",
    "my favourite cookie = oatmeal=best",
    "use a cookie: theme=dark; lang=en",
    '"cookies": 7',
  ],
  "other words that also name secrets": [
    "<secrets>5</secrets> <credentials>3</credentials> <cookies>0</cookies>",
    "<has_password>true</has_password><password>false</password>",
    "Found secrets: 0, leaked credentials: 3",
    '"secrets": 5, "api_keys": 0',
    "the password is required, the token is invalid",
  ],
};

/** Values of attributes, tool arguments and tool definitions. */
const VALUES: Record<string, Record<string, unknown>> = {
  "the verdict of a judge": { pass: "partial", why: "Most of it is there." },
  "a share that passed": { pass: "12/15" },
  "a grade": { pass: "A" },
  "a warning": { pass: "warn" },
  "an adverb": { pass: "mostly" },
  "counts of a test report": { pass: 1200, fail: 3 },
  "names in a test report": { pass: ["adds2numbers", "test_parse_01"], fail: [], total: 2 },
  "a round of a tournament": { pass: "2nd-round" },
  "a list of verdicts": { results: [{ pass: "yes" }, { pass: "not_applicable" }, { pass: "needs-review" }] },
  "verdicts by name": { pass: { relevance: "partial", tone: true, length: 1200 } },
  "pass at k": { pass: "pass@10", "pass@1": 0.82 },
  "the time of a pass": { pass: "2026-11-21T10:00:00Z" },
  "a case of a test plan": { pass: "TC-1042" },
  "a count of secrets": { secrets: 5 },
  "a count of leaks": { leaked_secrets: 0, found_secrets: "12" },
  "a count of keys": { api_keys: 0 },
  "a count of logins": { failed_credentials: 3, passwords: 2 },
  "a count of cookies": { cookies: 7 },
  "the state of cookies": { cookies: "enabled", credentials: "missing", secrets: "none" },
  "the kind of credentials": { credentials: { type: "oauth", expires_in: 3600 } },
  "the lifetime of credentials": {
    credentials: {
      type: "oauth2",
      provider: "google",
      expires_at: "2026-11-21T10:00:00Z",
      scope: "openid mail",
    },
  },
  "a scheme of OpenAPI": { api_key: { type: "apiKey", name: "X-Api-Key", in: "header" } },
  "a schema without types": { properties: { password: { description: "The user's password" } } },
  "a schema of OpenAI": {
    type: "function",
    function: {
      name: "log_in",
      parameters: {
        type: "object",
        properties: {
          password: { type: ["string", "null"], description: "of the user" },
          api_key: { title: "Api Key", description: "as the portal shows it", default: "" },
        },
      },
    },
  },
  "a schema of Anthropic": {
    name: "log_in",
    input_schema: {
      type: "object",
      properties: { token: { type: "string" }, secret: { $ref: "#/$defs/secret" } },
    },
  },
  "a schema of Gemini": { properties: { password: { type: "STRING", description: "of the user" } } },
  "a schema of Python": { args: { password: { type: "str", description: "of the user" } } },
  "a usage object": {
    usage: {
      input_tokens: 1200,
      output_tokens: 34,
      cache_read_input_tokens: 0,
      server_tool_use: { tokens: 3 },
    },
  },
  "log probabilities": { tokens: ["un", "believ", "able"], token_logprobs: [-0.01, -0.2, -3], token: "un" },
  "a page of results": { next_page_token: "CAUQAA12", page_token: "12", items: [] },
};

function valueRedactor() {
  return createValueRedactor({
    textRedactor: textRedactor(),
    readKey: createKeyReader(BUILT_IN_PATTERNS),
    onRedacted: () => undefined,
  });
}

/** Long enough for redaction of its value in steps. */
const PADDING = "words and words ".repeat(600);

describe("typical texts of LLM applications stay unchanged", () => {
  for (const [kind, texts] of Object.entries(TEXTS)) {
    it.each(texts)(`${kind}: %s`, (text) => {
      expect(redact(text)).toBe(text);
      expect(redact(`Before. ${text} and after.`)).toBe(`Before. ${text} and after.`);
      expect(redact(JSON.stringify({ value: text }))).toBe(JSON.stringify({ value: text }));
    });
  }

  it.each(Object.entries(VALUES))("%s", (_kind, value) => {
    const values = valueRedactor();
    expect(values.attributes(value)).toEqual(value);
    expect(values.value({ arguments: value })).toEqual({ arguments: value });
    const large = { ...value, padding: PADDING };
    expect(runAtOnce(attributesInSteps(values, large))).toEqual(large);
    expect(runAtOnce(valueInSteps(values, large, NO_MEANING))).toEqual(large);
  });
});

describe("secrets next to such texts are redacted", () => {
  const hidden = "[SECRET]";
  it.each([
    ["a password with a digit", { pass: "hunter2" }, { pass: hidden }],
    ["a password with symbols", { pass: "p@ssw0rd!" }, { pass: hidden }],
    ["a word next to a user", { username: "ann", pass: "letmein" }, { username: "ann", pass: hidden }],
    ["a number next to a host", { host: "db", pass: 482911 }, { host: "db", pass: hidden }],
    ["a word of an account", { smtp_pass: "letmein", dbPass: 482911 }, { smtp_pass: hidden, dbPass: hidden }],
    ["a list of passwords", { passwords: ["hunter", 12] }, { passwords: [hidden, hidden] }],
    [
      "texts among secrets",
      { secrets: ["hunter"], cookies: { sid: "ab" } },
      { secrets: [hidden], cookies: { sid: hidden } },
    ],
    [
      "texts among labels",
      { credentials: { type: "oauth", expires_in: 3600, value: "abc", user: "ann" } },
      { credentials: { type: "oauth", expires_in: 3600, value: hidden, user: hidden } },
    ],
    [
      "a token under the key of a label",
      { credentials: { type: "ghost0123456789abcdef" } },
      { credentials: { type: hidden } },
    ],
    [
      "a value next to a description",
      { password: { description: "of Ann", value: "abc" } },
      { password: { description: "of Ann", value: hidden } },
    ],
    [
      "an object with other keys than a schema",
      { password: { title: "a", old: "abc" } },
      { password: { title: "a", old: hidden } },
    ],
  ])("%s", (_what, value: Record<string, unknown>, expected: Record<string, unknown>) => {
    const values = valueRedactor();
    expect(values.attributes(value)).toEqual(expected);
    expect(values.value({ arguments: value })).toEqual({ arguments: expected });
    const large = { ...value, padding: PADDING };
    expect(runAtOnce(attributesInSteps(values, large))).toEqual({ ...expected, padding: PADDING });
  });
});
