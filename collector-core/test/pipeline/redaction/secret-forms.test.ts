import { describe, expect, it } from "vitest";
import { redact } from "./support.js";

const HEX = "0123456789abcdef0123456789abcdef";
const SIGNATURE = "aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404";
/** `alice:hunter2abc9`. */
const USER_AND_PASSWORD = "YWxpY2U6aHVudGVyMmFiYzk=";
const SPACES = " ".repeat(40);

/** Texts and their redacted form, by the form of the assignment. */
const REDACTED: Record<string, readonly (readonly [string, string])[]> = {
  "in Markdown": [
    ["**Password:** Hunter2abc9!", "**Password:** [SECRET]"],
    ["**Password**: Hunter2abc9!", "**Password**: [SECRET]"],
    ["__Password__: `Hunter2abc9!`", "__Password__: `[SECRET]`"],
    ["- **API Key**: `abcd1234efgh5678`", "- **API Key**: `[SECRET]`"],
    ["- *Token:* abcd1234efgh5678", "- *Token:* [SECRET]"],
  ],
  "in a table": [
    ["| password | Hunter2abc9! |", "| password | [SECRET] |"],
    [
      "| Name | Value |\n|---|---|\n| **API key** | `abcd1234efgh5678` |",
      "| Name | Value |\n|---|---|\n| **API key** | `[SECRET]` |",
    ],
    ["Password | Hunter2abc9! | 2026", "Password | [SECRET] | 2026"],
    [
      `| DB password${" ".repeat(20)}| Hunter2abc9!${" ".repeat(20)}|`,
      `| DB password${" ".repeat(20)}| [SECRET]${" ".repeat(20)}|`,
    ],
  ],
  "with aligned signs": [
    ['  password            = "Hunter2abc9!"', '  password            = "[SECRET]"'],
    ["api_key:      abcd1234efgh5678", "api_key:      [SECRET]"],
    [`password${SPACES}=${SPACES}hunter2x`, `password${SPACES}=${SPACES}[SECRET]`],
  ],
  "of the environment": [
    ["DB_PASSWORD=xK9(mP2$vL;nQ8", "DB_PASSWORD=[SECRET]"],
    ["DB_PASSWORD=xK9mP2vLaa&nQ8zzTAIL", "DB_PASSWORD=[SECRET]"],
    ["A=1\nexport DB_PASSWORD=ab,{c}<d>|e9\nB=2", "A=1\nexport DB_PASSWORD=[SECRET]\nB=2"],
    ['DB_PASSWORD="my secret; 9 words" B=2', 'DB_PASSWORD="[SECRET]" B=2'],
    ["DB_PASSWORD='my \"secret\" 9'", "DB_PASSWORD='[SECRET]'"],
    ["DB_USER=root\nDB_PASS=Sup3rS3cret!9", "DB_USER=root\nDB_PASS=[SECRET]"],
    ["SMTP_PASS=Sup3r,S3cret!", "SMTP_PASS=[SECRET]"],
    ["APP_PWD=Sup3r(S3cret!", "APP_PWD=[SECRET]"],
    ["docker run -e DB_PASSWORD=xK9(mP2$vL;nQ8 image", "docker run -e DB_PASSWORD=[SECRET] image"],
    [
      '{"Env":["DB_PASSWORD=xK9(mP2$vL;nQ8]","PATH=/usr/bin"]}',
      '{"Env":["DB_PASSWORD=[SECRET]","PATH=/usr/bin"]}',
    ],
    ["ACME_KEY=0a1b2c3d4e5f60718293", "ACME_KEY=[SECRET]"],
  ],
  "set without a sign": [
    ["setx API_TOKEN abcd1234efgh5678", "setx API_TOKEN [SECRET]"],
    ["set -x API_TOKEN abcd1234efgh5678", "set -x API_TOKEN [SECRET]"],
    ["set -g --export DB_PASSWORD 'xK9 mP2'", "set -g --export DB_PASSWORD '[SECRET]'"],
    ['#define API_KEY "abcd1234efgh5678"', '#define API_KEY "[SECRET]"'],
    ["FROM node\nENV DB_PASSWORD xK9(mP2$vL\nRUN a", "FROM node\nENV DB_PASSWORD [SECRET]\nRUN a"],
    [
      String.raw`{"dockerfile":"FROM a\nENV API_KEY abcd1234efgh5678\nRUN b"}`,
      String.raw`{"dockerfile":"FROM a\nENV API_KEY [SECRET]\nRUN b"}`,
    ],
  ],
  "in SQL": [
    ["CREATE USER 'a'@'%' IDENTIFIED BY 'Hunter2abc9!';", "CREATE USER 'a'@'%' IDENTIFIED BY '[SECRET]';"],
    ["ALTER ROLE a WITH PASSWORD 'Hunter2abc9!';", "ALTER ROLE a WITH PASSWORD '[SECRET]';"],
    ["create user a identified by 'Hunter2abc9!'", "create user a identified by '[SECRET]'"],
  ],
  "behind a colon in a sentence": [
    ["my api key is: abcd1234efgh5678", "my api key is: [SECRET]"],
    ["The password is: Hunter2abc9!", "The password is: [SECRET]"],
  ],
  "as the pass of an account": [
    ["ansible_ssh_pass=Hunter2abc9!", "ansible_ssh_pass=[SECRET]"],
    ["db_pass: Sup3rS3cret!9", "db_pass: [SECRET]"],
    ['{\"smtp_pass\":\"Hunter2abc9!\"}'.replaceAll("\\", ""), '{"smtp_pass":"[SECRET]"}'],
  ],
  "as a name and a value": [
    ['{"name":"password","value":"Hunter2abc9!"}', '{"name":"password","value":"[SECRET]"}'],
    ['{"value": "Hunter2abc9!", "name": "password"}', '{"value": "[SECRET]", "name": "password"}'],
    ['{"key": "X-Api-Key", "value": "ab12"}', '{"key": "X-Api-Key", "value": "[SECRET]"}'],
    ['<add key="password" value="Hunter2abc9!" />', '<add key="password" value="[SECRET]" />'],
    ["- name: DB_PASSWORD\n  value: Hunter2abc9!\n", "- name: DB_PASSWORD\n  value: [SECRET]\n"],
  ],
  "with a provider's or a framework's name": [
    [`secret_key_base: ${HEX}`, "secret_key_base: [SECRET]"],
    [`AZURE_OPENAI_KEY=${HEX}`, "AZURE_OPENAI_KEY=[SECRET]"],
    [`"azure_openai_key": "${HEX}"`, '"azure_openai_key": "[SECRET]"'],
    [`X-Auth-Key: ${HEX}`, "X-Auth-Key: [SECRET]"],
    [
      `{"auths":{"r.example":{"auth":"${USER_AND_PASSWORD}"}}}`,
      '{"auths":{"r.example":{"auth":"[CREDENTIALS]"}}}',
    ],
    [`//r.example/:_auth=${USER_AND_PASSWORD}`, "//r.example/:_auth=[CREDENTIALS]"],
  ],
  "in a URL": [
    ["https://x.example/b?sp=r&sig=abcdEFGHijkl1234567890%2Bxyz%3D", "https://x.example/b?sp=r&sig=[SECRET]"],
    [
      `https://x.example/k?X-Amz-Signature=${SIGNATURE}&a=1`,
      "https://x.example/k?X-Amz-Signature=[SECRET]&a=1",
    ],
    [
      "https://x.example/k?Expires=1&Signature=abcdEFGHijkl1234567890%3D",
      "https://x.example/k?Expires=1&Signature=[SECRET]",
    ],
    ["postgres://user:pa#ss1234@host/db", "postgres://[CREDENTIALS]@host/db"],
    ["postgres://user:pa/ss1234@host/db", "postgres://[CREDENTIALS]@host/db"],
    ["https://ann:pa?ss1@example.com:8080/x", "https://[CREDENTIALS]@example.com:8080/x"],
  ],
  "in commands and files": [
    ["machine h login me password Hunter2abc9", "machine h login me password [SECRET]"],
    ["machine h\n  login me\n  password Hunter2abc9\n", "machine h\n  login me\n  password [SECRET]\n"],
    ["mysql -u root -pS3cretPass9! db", "mysql -u root -p[SECRET] db"],
    ["Run `mysqldump -pS3cret9`.", "Run `mysqldump -p[SECRET]`."],
    ["docker login -u alice -p Hunter2abc9 r.example", "docker login -u alice -p [SECRET] r.example"],
    ["docker login -p=Hunter2abc9", "docker login -p=[SECRET]"],
    ["sshpass -p 'my word' ssh host", "sshpass -p '[SECRET]' ssh host"],
    ["http -a alice:Hunter2abc9 x.example", "http -a [CREDENTIALS] x.example"],
    ["cd x && https -a alice:Hunter2abc9 x.example", "cd x && https -a [CREDENTIALS] x.example"],
    ["Server=db;User Id=sa;Password=P@s(w0rd)X9;", "Server=db;User Id=sa;Password=[SECRET];"],
  ],
  "as a block of YAML": [
    ["password: >-\n  Hunter2abc9!\nuser: ann", "password: >-\n  [SECRET]\nuser: ann"],
    [
      "db:\n  password: |\n    Hunter2abc9!\n    second9line\n  user: ann",
      "db:\n  password: |\n    [SECRET]\n  user: ann",
    ],
  ],
};

/** Texts of code, documents and prose that are close to those forms. */
const HARMLESS: Record<string, readonly string[]> = {
  Markdown: [
    "**Password:** required",
    "**Token:** the unit of text, about 4 characters",
    "**API Key**: see [the settings](#keys)",
    "| password | varchar(255) |",
    "| password | string | required |",
    "| password_hash | argon2id |",
    "| Token | Description |",
    "| api_key | `X-API-Key` |",
    "| token | claude-sonnet-4-5 |",
    "| next_page_token | CAUQAA12345abcd99 |",
    "| credentials | ./creds.json |",
    "| secret | $SECRET_KEY |",
    "let secret = password | hunter2abc | other2",
  ],
  "aligned code": [
    "  password            = getpass.getpass()",
    "  apiKey:             process.env.OPENAI_API_KEY,",
    "  token               : string;",
    "  max_tokens          = 40960000",
  ],
  environment: [
    "API_KEY=$(cat /run/secrets/key1)",
    'API_KEY="${OPENAI_API_KEY}"',
    'API_KEY=os.environ["OPENAI_API_KEY1"]',
    "API_KEY=get_secret('db1')",
    "DB_PASSWORD=getpass.getpass()",
    "PWD=/home/alice/project2",
    "OLD_PWD=/home/alice/project2",
    "TEST_PASS=12/15",
    "FIRST_PASS=2nd-round",
    "BYPASS=hunter2abc",
    "EOS_TOKEN=1234abcd5678efgh",
    "MAX_TOKENS=40960000",
    "CREDENTIALS=/run/secrets/creds1.json",
    "PRIMARY_KEY=0a1b2c3d4e5f60718293",
    "PUBLIC_KEY=0a1b2c3d4e5f60718293",
    "SSH_KEY=~/.ssh/id_ed25519_of_ann",
    "CACHE_KEY=user-profile-1234567890",
    "DB_PASSWORD=<your-password>",
    "DB_PASSWORD=********",
  ],
  pairs: [
    '{"name":"temperature","value":"0.75000"}',
    '{"name":"password","value":"${PASSWORD}"}',
    '{"name":"password","value":"required"}',
    '{"name":"next_page_token","value":"CAUQAA12345abcd99"}',
    '<input name="city" value="Berlin-12345" />',
    "- name: MAX_TOKENS\n  value: 40960000\n",
    "- name: DB_PASSWORD\n  valueFrom: secretKeyRef1\n",
    "- name: DB_PASSWORD\n- name: LOG_LEVEL\n  value: level-1234\n",
  ],
  URLs: [
    "https://registry.example:4873/@scope/pkg1.com",
    "http://localhost:5173/@vite/client",
    "http://localhost:${PORT}/@fs/x.com",
    "https://medium.example/@ann.com/post:1",
    "postgres://localhost:5432/db?mail=ann@",
    "see https://x.example/a?signature=short1",
    "signature=inspect_signature_of_function",
    "def f(sig=1): return sig==2",
  ],
  commands: [
    "mysql -p db1",
    "mysql -u root -p",
    "mkdir -p build2/out",
    "docker run -p 8080:8080 nginx1",
    "docker login; docker run -p 8080:8080 nginx1",
    "ssh -p 2222 host1",
    "git commit -a notes:x1",
    "We use http -- and tar -a file:x1",
    "login and password are required",
    "the login form password field_2 is empty",
    "You login with password reset-link-2",
  ],
  YAML: [
    "secret: |\n  kubectl get secret 12 -o yaml\n",
    "password: >-\n  of the user, at least 8 characters\n",
    "password: |\nuser:12345678\n",
  ],
  auth: ['"auth": "oauth2"', '"auth": "required1"', "auth=basic12345678"],
};

describe("a secret is redacted", () => {
  for (const [form, texts] of Object.entries(REDACTED)) {
    it.each(texts)(`${form}: %s`, (text, expected) => {
      expect(redact(text)).toBe(expected);
      expect(redact(expected)).toBe(expected);
      expect(redact(`Before.\n${text}\nand after.`)).toBe(`Before.\n${expected}\nand after.`);
      expect(redact(JSON.stringify({ text }))).toBe(JSON.stringify({ text: expected }));
    });
  }
});

it("a value behind tabs, or with quotes inside, is redacted", () => {
  expect(redact("api_key\t\t\t:\t\t\t\t\tabcd1234efgh5678")).toBe("api_key\t\t\t:\t\t\t\t\t[SECRET]");
  expect(redact('DB_PASSWORD=ab"cd"ef9')).toBe("DB_PASSWORD=[SECRET]");
});

describe("a harmless text that is close to such a form stays", () => {
  for (const [form, texts] of Object.entries(HARMLESS)) {
    it.each(texts)(`${form}: %s`, (text) => {
      expect(redact(text)).toBe(text);
      expect(redact(`Before.\n${text}\nand after.`)).toBe(`Before.\n${text}\nand after.`);
      expect(redact(JSON.stringify({ value: text }))).toBe(JSON.stringify({ value: text }));
    });
  }
});
