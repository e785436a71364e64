import { startsWord } from "../boundaries.js";
import { builtIn, findAll, type TextMatch } from "../pattern.js";
import { FEATURE } from "../text-features.js";

const WORD = String.raw`[\w-]`;

/**
 * Forms of keys and tokens with a provider-specific prefix or structure. Other secrets, such as an AWS secret key or
 * a Twilio token, are found by the name that they are assigned to: `assigned-secret.ts`.
 */
const FORMS: readonly string[] = [
  // Models: OpenAI (also sk-proj-, sk-svcacct-, sk-admin-), Anthropic, OpenRouter, DeepSeek and others with the same
  // prefix.
  String.raw`sk-${WORD}{16,250}`,
  String.raw`sess-[A-Za-z0-9]{32,64}`,
  String.raw`AIza${WORD}{30,40}`, // Google
  String.raw`ya29\.[\w.-]{20,1000}`, // Google, OAuth
  String.raw`GOCSPX-${WORD}{20,40}`,
  String.raw`1//0${WORD}{30,200}`, // Google, refresh token
  String.raw`gsk_[A-Za-z0-9]{20,100}`, // Groq
  String.raw`xai-${WORD}{20,120}`,
  String.raw`pplx-[A-Za-z0-9]{20,100}`, // Perplexity
  String.raw`r8_[A-Za-z0-9]{20,60}`, // Replicate
  String.raw`(?:hf|api_org)_[A-Za-z0-9]{20,60}`, // Hugging Face
  String.raw`fw_[A-Za-z0-9]{20,60}`, // Fireworks
  String.raw`csk-[a-z0-9]{30,80}`, // Cerebras
  String.raw`nvapi-${WORD}{30,100}`,
  String.raw`jina_[A-Za-z0-9]{30,80}`,
  String.raw`tvly-${WORD}{20,80}`, // Tavily
  String.raw`fc-[0-9a-f]{32}`, // Firecrawl
  String.raw`pcsk_[A-Za-z0-9_]{20,120}`, // Pinecone
  // Telemetry: the first form covers sk-lf- of Langfuse, whose public key is not a secret.
  String.raw`lsv2_(?:pt|sk)_[0-9a-f]{20,64}_[0-9a-f]{6,16}`, // LangSmith
  String.raw`ls__[A-Za-z0-9]{20,64}`,
  String.raw`glsa_[A-Za-z0-9]{20,60}_[0-9a-f]{6,10}`, // Grafana
  String.raw`glc_[A-Za-z0-9+/=]{30,400}`,
  String.raw`sntry[su]_[A-Za-z0-9+/=_-]{30,400}`, // Sentry
  String.raw`ph[cx]_[A-Za-z0-9]{30,60}`, // PostHog
  String.raw`NRAK-[A-Z0-9]{20,40}`, // New Relic
  // Clouds and platforms.
  String.raw`(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7][A-Z0-9]{15}`, // AWS
  String.raw`ABSK[A-Za-z0-9+/]{80,200}={0,2}`, // AWS Bedrock
  String.raw`dapi[0-9a-f]{32}(?:-\d)?`, // Databricks
  String.raw`do[opr]_v1_[0-9a-f]{60,70}`, // DigitalOcean
  String.raw`f[mo][12]_${WORD}{30,300}`, // Fly.io
  String.raw`hvs\.${WORD}{20,300}`, // HashiCorp Vault
  String.raw`[A-Za-z0-9]{14}\.atlasv1\.${WORD}{60,80}`, // Terraform Cloud
  String.raw`pul-[0-9a-f]{40}`, // Pulumi
  String.raw`sbp_[0-9a-f]{40}`, // Supabase
  String.raw`sb_secret_${WORD}{20,60}`,
  String.raw`pscale_(?:tkn|pw|oauth)_[\w.-]{20,80}`, // PlanetScale
  String.raw`vercel_blob_rw_\w{20,80}`,
  String.raw`HRKU-${WORD}{30,80}`, // Heroku
  // Source code and packages.
  String.raw`gh[pousr]_[A-Za-z0-9]{30,255}`, // GitHub
  String.raw`github_pat_\w{30,255}`,
  String.raw`gl(?:pat|ptt|dt|rt|cbt|agent|soat|ft|imt)-[\w.-]{20,300}`, // GitLab
  String.raw`npm_[A-Za-z0-9]{30,60}`,
  String.raw`pypi-${WORD}{50,250}`,
  String.raw`rubygems_[0-9a-f]{40,60}`,
  String.raw`dckr_(?:pat|oat)_${WORD}{20,60}`, // Docker
  String.raw`ATATT3${WORD}{50,250}=?[0-9A-F]{0,8}`, // Atlassian
  String.raw`ATCTT3${WORD}{50,250}=?[0-9A-F]{0,8}`,
  String.raw`PMAK-[0-9a-f]{24}-[0-9a-f]{34}`, // Postman
  // Messages.
  String.raw`xox[abeoprs]-[A-Za-z0-9-]{10,250}`, // Slack
  String.raw`xox[ep]\.xox[bp]-[A-Za-z0-9-]{10,250}`,
  String.raw`xapp-\d-[A-Za-z0-9-]{10,250}`,
  String.raw`SG\.${WORD}{16,32}\.${WORD}{16,64}`, // SendGrid
  String.raw`SK[0-9a-f]{32}`, // Twilio
  String.raw`\d{8,10}:AA${WORD}{32,34}`, // Telegram
  String.raw`[MNO][A-Za-z\d]{23,25}\.${WORD}{6}\.${WORD}{27,38}`, // Discord
  String.raw`key-[0-9a-f]{32}`, // Mailgun
  String.raw`[0-9a-f]{32}-us\d{1,2}`, // Mailchimp
  String.raw`xkeysib-[0-9a-f]{60,70}-[A-Za-z0-9]{16}`, // Brevo
  String.raw`re_[A-Za-z0-9]{6,12}_[A-Za-z0-9]{16,32}`, // Resend
  // The address of a webhook grants access: Slack, Discord. The host stays readable.
  String.raw`services/T[A-Z0-9]{8,12}/B[A-Z0-9]{8,12}/[A-Za-z0-9]{20,32}`,
  String.raw`webhooks/\d{17,20}/${WORD}{60,72}`,
  // Payments and shops.
  String.raw`(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{10,250}`, // Stripe
  String.raw`whsec_[A-Za-z0-9+/=]{20,100}`,
  String.raw`sq0(?:atp|csp)-${WORD}{20,60}`, // Square
  String.raw`EAAA[A-Za-z0-9_-]{56,64}`,
  String.raw`shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}`, // Shopify
  // Work.
  String.raw`(?:secret|ntn)_[A-Za-z0-9]{40,60}`, // Notion
  String.raw`lin_(?:api|oauth)_[A-Za-z0-9]{30,80}`, // Linear
  String.raw`pat[A-Za-z0-9]{14}\.[0-9a-f]{64}`, // Airtable
  String.raw`figd_${WORD}{30,60}`, // Figma
  String.raw`dp\.(?:pt|st|ct|sa|scim|audit)\.[\w.-]{40,60}`, // Doppler
  String.raw`ops_eyJ${WORD}{200,1000}`, // 1Password
  String.raw`AGE-SECRET-KEY-1[A-Z0-9]{50,64}`,
];

/** Sticky expressions of the forms by their first character. */
const FORMS_BY_FIRST = new Map(
  Array.from("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz").flatMap((first) => {
    const forms = FORMS.filter((form) => canBeginWith(form, first));
    return forms.length === 0 ? [] : [[first, new RegExp(forms.join("|"), "y")] as const];
  }),
);

/** True when a form can begin with a character, according to its first letter, class or group of alternatives. */
function canBeginWith(form: string, first: string): boolean {
  const [, group, digit, charClass, letter = ""] =
    /^(?:\(\?:([^)]+)\)|(\\d)|(\[[^\]]+\])|(\w))/.exec(form) ?? [];
  if (group !== undefined) return group.split("|").some((alternative) => alternative.startsWith(first));
  if (digit !== undefined) return /\d/.test(first);
  return charClass === undefined ? letter === first : new RegExp(charClass).test(first);
}

/** Prefixes that identify a key even after a name and an underscore: `OPENAI_sk-…`. */
const DISTINCT_PREFIX =
  /^(?:sk-|gh[pousr]_|github_pat_|AIza|A[KS]IA|xox[a-z]|glpat-|gsk_|xai-|pplx-|npm_|pypi-|hf_|[rs]k_(?:live|test)_|SG\.)/;

const TOKEN_CHARACTER = Uint8Array.from({ length: 128 }, (_, code) =>
  /[\w+/=.~:-]/.test(String.fromCharCode(code)) ? 1 : 0,
);
const MIN_TOKEN_LENGTH = 16;

/** Keys and tokens of services that agents use. */
export const apiKey = builtIn({ name: "api_key", needs: FEATURE.token, find: findApiKeys });

function findApiKeys(text: string): TextMatch[] {
  const found: TextMatch[] = [];
  let tokenStart = 0;
  for (let at = 0; at <= text.length; at++) {
    if (at < text.length && TOKEN_CHARACTER[text.charCodeAt(at)] === 1) continue;
    if (at - tokenStart >= MIN_TOKEN_LENGTH) findInToken(text, tokenStart, at, found);
    tokenStart = at + 1;
  }
  return found;
}

function findInToken(text: string, start: number, end: number, found: TextMatch[]): void {
  for (let at = start; at < end; at++) {
    const followsWord = !startsWord(text, at);
    if (followsWord && text[at - 1] !== "_") continue;
    const forms = FORMS_BY_FIRST.get(text[at] ?? "");
    if (forms === undefined) continue;
    forms.lastIndex = at;
    const key = forms.exec(text)?.[0];
    if (key === undefined || !isRandom(key) || (followsWord && !DISTINCT_PREFIX.test(key))) continue;
    found.push({ start: at, end: at + key.length });
    at += key.length - 1;
  }
}

/** More letters than a word has. */
const LONG_LETTERS = /^[A-Za-z]{30,}$/;

/** True when a key has digits, both cases, or is longer than a word, unlike a stylesheet name with the same prefix. */
function isRandom(key: string): boolean {
  const body = key.replace(/^[a-z]{2,6}[-_]/, "");
  return (
    /\d/.test(body) ||
    LONG_LETTERS.test(body) ||
    (/[a-z]/.test(body) ? /[A-Z]/.test(body) : body.length >= 20)
  );
}

const JWT = /eyJ[\w-]{8,4000}(?:\.[\w-]{0,8000}){0,4}/g;
const JWT_HEADER = /"(?:alg|enc|typ|kid)"\s*:/;

/**
 * A JSON Web Token, identified by its header. Therefore a truncated token without a signature also matches.
 */
export const jwt = builtIn({
  name: "jwt",
  needs: FEATURE.token,
  find: (text) =>
    findAll(text, JWT, ({ 0: token, index }) => {
      if (!startsWord(text, index)) return false;
      const header = token.slice(0, 1024).split(".", 1)[0] ?? "";
      return JWT_HEADER.test(Buffer.from(header, "base64url").toString("latin1"));
    }),
});
