import { describe, expect, it } from "vitest";
import { REDACTION_MARKS } from "../../../src/api-schema/redaction-marks.js";
import { BUILT_IN_PATTERNS } from "../../../src/pipeline/redaction/built-in-patterns.js";
import { redact, textRedactor } from "./support.js";

it("leave the marks that pages know", () => {
  const left = new Set(BUILT_IN_PATTERNS.map(({ replacement }) => replacement));
  expect([...left].sort()).toEqual([...REDACTION_MARKS].sort());
});

/** Texts and their redacted form, by pattern. */
const REDACTED: Record<string, readonly (readonly [string, string])[]> = {
  email: [
    ["Mail alice@example.com now.", "Mail [EMAIL] now."],
    ["jörg.müller@straße.de", "[EMAIL]"],
    ["иван@пример.рф", "[EMAIL]"],
    ["联系我alice@example.com吧", "联系我[EMAIL]吧"],
    ["O'Brien+news@mail.example.co.uk,bob@example.org", "[EMAIL],[EMAIL]"],
    ["<alice@example.com>", "<[EMAIL]>"],
    ["?to=alice%40example.com&x=1", "?to=[EMAIL]&x=1"],
    [String.raw`{"text":"Hello\nalice@example.com"}`, String.raw`{"text":"Hello\n[EMAIL]"}`],
    [String.raw`{"text":"\u00e9alice@example.com"}`, String.raw`{"text":"\u00e9[EMAIL]"}`],
    [String.raw`{"text":"Hi alice\u0040example.com\n"}`, String.raw`{"text":"Hi [EMAIL]\n"}`],
    [String.raw`"\\u0061lice\\u0040example\\u002ecom"`, `"[EMAIL]"`],
    [String.raw`'alice\x40example.com'`, `'[EMAIL]'`],
    ["write to alice&#64;example.com &amp; bob&#x40;example.org", "write to [EMAIL] &amp; [EMAIL]"],
    ["alice&commat;example.com", "[EMAIL]"],
    ["alice&commat;example&period;com, a &lt; b", "[EMAIL], a &lt; b"],
  ],
  card_number: [
    ["4111 1111 1111 1111", "[CARD_NUMBER]"],
    ["card 4111111111111111 exp 12/27", "card [CARD_NUMBER] exp 12/27"],
    ["5500-0055-5555-5559", "[CARD_NUMBER]"],
    ["2223 0031 2200 3222", "[CARD_NUMBER]"],
    ["3782 822463 10005", "[CARD_NUMBER]"],
    ["30569309025904", "[CARD_NUMBER]"],
    ["6011111111111117", "[CARD_NUMBER]"],
    ["3530111333300000", "[CARD_NUMBER]"],
    ["4222222222222", "[CARD_NUMBER]"],
    ["4000000000000000006", "[CARD_NUMBER]"],
    ["4111111111111111.0", "[CARD_NUMBER].0"],
    ["paid with 4111111111111111.00, thanks", "paid with [CARD_NUMBER].00, thanks"],
    ["4111.1111.1111.1111", "[CARD_NUMBER]"],
    ["It is 4111.1111.1111.1111.", "It is [CARD_NUMBER]."],
    [String.raw`\u0034111 1111 1111 1111`, "[CARD_NUMBER]"],
    ["Ann,4242424242424242,12/25", "Ann,[CARD_NUMBER],12/25"],
    [String.raw`"a\n4111111111111111"`, String.raw`"a\n[CARD_NUMBER]"`],
    ["カード4111111111111111です", "カード[CARD_NUMBER]です"],
    ["４１１１ １１１１ １１１１ １１１１ – yes", "[CARD_NUMBER] – yes"],
  ],
  iban: [
    ["DE89 3704 0044 0532 0130 00", "[IBAN]"],
    ["GB82WEST12345698765432.", "[IBAN]."],
    ["nl91abna0417164300", "[IBAN]"],
    ["MT84MALT011000012345MTLCAST001S", "[IBAN]"],
  ],
  us_ssn: [
    ["123-45-6789", "[US_SSN]"],
    ["SSN 123456789", "SSN [US_SSN]"],
    ["my ssn is 123 45 6789", "my ssn is [US_SSN]"],
    ["with the dashes of a model 123\u201145\u20116789", "with the dashes of a model [US_SSN]"],
    ["Ann,123-45-6789,1980-01-01", "Ann,[US_SSN],1980-01-01"],
  ],
  us_itin: [["ITIN: 900-70-1234", "ITIN: [US_ITIN]"]],
  ca_sin: [["SIN: 046 454 286", "SIN: [CA_SIN]"]],
  mx_curp: [["HEGG560427MVZRRL04", "[MX_CURP]"]],
  br_cpf: [
    ["529.982.247-25", "[BR_CPF]"],
    ["CPF 52998224725", "CPF [BR_CPF]"],
  ],
  cl_rut: [["30.686.957-4", "[CL_RUT]"]],
  ar_cuil: [["20-12345678-6", "[AR_CUIL]"]],
  in_aadhaar: [
    ["2345 6789 0124", "[IN_AADHAAR]"],
    ["Aadhaar 234567890124", "Aadhaar [IN_AADHAAR]"],
  ],
  in_pan: [["ABCPE1234F", "[IN_PAN]"]],
  cn_resident_id: [
    ["11010519491231002X", "[CN_RESIDENT_ID]"],
    ["我的身份证号码是11010519491231002X。", "我的身份证号码是[CN_RESIDENT_ID]。"],
  ],
  tw_id: [["身分證 A123456789", "身分證 [TW_ID]"]],
  hk_id: [["A123456(3)", "[HK_ID]"]],
  kr_rrn: [["주민등록번호는 900101-1234568", "주민등록번호는 [KR_RRN]"]],
  jp_my_number: [["マイナンバーは123456789018です", "マイナンバーは[JP_MY_NUMBER]です"]],
  sg_nric: [["S1234567D", "[SG_NRIC]"]],
  th_id: [["1-1012-34567-89-7", "[TH_ID]"]],
  my_nric: [["MyKad 900101-14-5678", "MyKad [MY_NRIC]"]],
  id_nik: [["NIK: 3174015708900001", "NIK: [ID_NIK]"]],
  il_id: [["Israeli ID 123456782", "Israeli ID [IL_ID]"]],
  za_id: [["ID number 8001015009087", "ID number [ZA_ID]"]],
  au_tfn: [["TFN 123 456 782", "TFN [AU_TFN]"]],
  au_medicare: [["Medicare number 2123 45670 1", "Medicare number [AU_MEDICARE]"]],
  passport: [["passport number: X1234567", "passport number: [PASSPORT]"]],
  uk_nino: [
    ["AB123456C", "[UK_NINO]"],
    ["NI number ab 12 34 56 c", "NI number [UK_NINO]"],
  ],
  de_steuer_id: [["Steuer-ID: 86 095 742 719", "Steuer-ID: [DE_STEUER_ID]"]],
  fr_nir: [["1 85 05 78 006 084 91", "[FR_NIR]"]],
  es_dni: [["12345678Z", "[ES_DNI]"]],
  es_nie: [["X1234567L", "[ES_NIE]"]],
  pt_nif: [["NIF 123456789", "NIF [PT_NIF]"]],
  it_codice_fiscale: [["RSSMRA85T10A562S", "[IT_CODICE_FISCALE]"]],
  nl_bsn: [["BSN 111222333", "BSN [NL_BSN]"]],
  be_national_number: [["85.07.30-033.28", "[BE_NATIONAL_NUMBER]"]],
  ie_pps: [["PPSN 1234567T", "PPSN [IE_PPS]"]],
  pl_pesel: [["PESEL 44051401359", "PESEL [PL_PESEL]"]],
  ch_ahv: [["756.9217.0769.85", "[CH_AHV]"]],
  se_personnummer: [
    ["19811218-9876", "[SE_PERSONNUMMER]"],
    ["personnummer 811218-9876", "personnummer [SE_PERSONNUMMER]"],
    ["personnummer 811218+9876, past a hundred", "personnummer [SE_PERSONNUMMER], past a hundred"],
  ],
  fi_hetu: [["131052-308T", "[FI_HETU]"]],
  no_fodselsnummer: [["fødselsnummer 01010750160", "fødselsnummer [NO_FODSELSNUMMER]"]],
  dk_cpr: [["CPR-nr. 070761-4285", "CPR-nr. [DK_CPR]"]],
  ro_cnp: [["CNP 1800101221144", "CNP [RO_CNP]"]],
  ru_snils: [["СНИЛС 112-233-445 95", "СНИЛС [RU_SNILS]"]],
  tr_kimlik: [["TC Kimlik No 10000000146", "TC Kimlik No [TR_KIMLIK]"]],
  phone_number: [
    ["+1 415 555 2671", "[PHONE_NUMBER]"],
    ["(415) 555-2671", "[PHONE_NUMBER]"],
    ["415-555-2671", "[PHONE_NUMBER]"],
    ["1-800-555-0199", "[PHONE_NUMBER]"],
    ["+49 30 12345678", "[PHONE_NUMBER]"],
    ["+33 (0)1 23 45 67 89", "[PHONE_NUMBER]"],
    ["+442079460958", "[PHONE_NUMBER]"],
    ["0049 30 12345678", "[PHONE_NUMBER]"],
    ["phone: 030 1234567", "phone: [PHONE_NUMBER]"],
    ["手机13812345678", "手机[PHONE_NUMBER]"],
    ["+49\u00a030\u202f1234\u20095678, ok", "[PHONE_NUMBER], ok"],
    ["هاتف +٩٦٦ ٥٠ ١٢٣ ٤٥٦٧", "هاتف [PHONE_NUMBER]"],
  ],
  ip_address: [
    ["from 192.168.1.10, to 8.8.8.8:53", "from [IP_ADDRESS], to [IP_ADDRESS]:53"],
    ["2001:db8::1", "[IP_ADDRESS]"],
    ["http://[fe80::1]:80/", "http://[[IP_ADDRESS]]:80/"],
    ["ip:2001:db8:0:0:0:0:2:1.", "ip:[IP_ADDRESS]."],
    ["::ffff:192.168.1.1", "[IP_ADDRESS]"],
  ],
  private_key: [
    ["a -----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY----- b", "a [PRIVATE_KEY] b"],
    ["-----BEGIN PRIVATE KEY-----\\nMIIE\\n-----END PRIVATE KEY-----", "[PRIVATE_KEY]"],
    ["-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEA", "[PRIVATE_KEY]"],
    ["-----BEGIN PGP PRIVATE KEY BLOCK-----\nlQ\n-----END PGP PRIVATE KEY BLOCK-----", "[PRIVATE_KEY]"],
  ],
  jwt: [
    [
      "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U",
      "[JWT]",
    ],
    ["eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIi", "[JWT]"],
  ],
  cookie: [
    ["Cookie: sid=abc; theme=dark", "Cookie: [COOKIE]"],
    ["GET / HTTP/1.1\ncookie: a=b; c=d\nAccept: */*", "GET / HTTP/1.1\ncookie: [COOKIE]\nAccept: */*"],
    [
      "Set-Cookie: sid=abc; Path=/; Expires=Wed, 21 Oct 2026 07:28:00 GMT; HttpOnly\r\nVary: Origin",
      "Set-Cookie: [COOKIE]\r\nVary: Origin",
    ],
    [String.raw`{"Cookie":"sid=abc; b=c","Host":"x"}`, String.raw`{"Cookie":"[COOKIE]","Host":"x"}`],
    ["The header Cookie: a=b was sent.", "The header Cookie: [COOKIE] was sent."],
    ["with the header cookie: a=b", "with the header cookie: [COOKIE]"],
    ["> cookie: a=b", "> cookie: [COOKIE]"],
    ['document.cookie = "a=b; path=/"', 'document.cookie = "[COOKIE]"'],
    ["it answers with set-cookie: a=b", "it answers with set-cookie: [COOKIE]"],
    ["now send cookie: theme=dark; sid=ab12cd34", "now send cookie: [COOKIE]"],
  ],
  authorization: [
    ["Authorization: Bearer abc12345", "Authorization: Bearer [AUTHORIZATION]"],
    ["authorization: ApiKey 0123456789abc", "authorization: ApiKey [AUTHORIZATION]"],
    ['"Authorization": "Basic ZGVtbzpwYXNz"', '"Authorization": "Basic [AUTHORIZATION]"'],
  ],
  credentials: [
    ["postgres://shop:pass1@db.example.com/shop", "postgres://[CREDENTIALS]@db.example.com/shop"],
    ["curl -u ann:hunter2 https://x.example", "curl -u [CREDENTIALS] https://x.example"],
    ["curl -s --user 'ann:hunter two' -v", "curl -s --user '[CREDENTIALS]' -v"],
    ["wget --proxy-user=ann:x1", "wget --proxy-user=[CREDENTIALS]"],
    ["curl 'https://x.example/?a=1&b=2' -u ann:x1", "curl 'https://x.example/?a=1&b=2' -u [CREDENTIALS]"],
    [
      "ls; curl \\\n  -H 'Accept: a;b' \\\n  -u ann:x1",
      "ls; curl \\\n  -H 'Accept: a;b' \\\n  -u [CREDENTIALS]",
    ],
    [JSON.stringify("curl \\\n -u ann:x1"), JSON.stringify("curl \\\n -u [CREDENTIALS]")],
    ["curl a.example; curl b.example -u ann:x1", "curl a.example; curl b.example -u [CREDENTIALS]"],
    ["redis://:secret@localhost:6379", "redis://[CREDENTIALS]@localhost:6379"],
    ["https://0123456789abcdef0123@o1.ingest.example/1", "https://[CREDENTIALS]@o1.ingest.example/1"],
  ],
  secret: [
    ["password=hunter2x", "password=[SECRET]"],
    ["login --password hunt3r --verbose", "login --password [SECRET] --verbose"],
    ["--api-key 'my key' x", "--api-key '[SECRET]' x"],
    [
      "tool --aws-secret-access-key=ab/cd --token t0ken.",
      "tool --aws-secret-access-key=[SECRET] --token [SECRET].",
    ],
    ['["--password", "hunter"]', '["--password", "[SECRET]"]'],
    ["<password>hunter</password>", "<password>[SECRET]</password>"],
    ["<db:pass>hunter</db:pass>", "<db:pass>[SECRET]</db:pass>"],
    ["<pass>hunter2</pass>", "<pass>[SECRET]</pass>"],
    ["<user>ann</user> <pass>letmein</pass>", "<user>ann</user> <pass>[SECRET]</pass>"],
    ["<pwd>hunter</pwd>", "<pwd>[SECRET]</pwd>"],
    ["<token>ghost0123456789abcdef</token>", "<token>[SECRET]</token>"],
    ["<secrets>hunter</secrets>", "<secrets>[SECRET]</secrets>"],
    ["login --user ann --pass letm3in", "login --user ann --pass [SECRET]"],
    ["login --user ann --pass 12345", "login --user ann --pass [SECRET]"],
    ["login --pass hunter2", "login --pass [SECRET]"],
    ["--db-pass 'letmein'", "--db-pass '[SECRET]'"],
    ["--aws-secret-access-key /wJalrXUtnFEMI/K7", "--aws-secret-access-key [SECRET]"],
    ["--client-secret ~8Q.hunter", "--client-secret [SECRET]"],
    ["--secret s3cr3t-value", "--secret [SECRET]"],
    ["--cookie sid=ab12", "--cookie [SECRET]"],
    ["--auth-token=hunter2x --password=hunter2x", "--auth-token=[SECRET] --password=[SECRET]"],
    ["password=./hunter2x client_secret=/wJalrXUtnF2", "password=[SECRET] client_secret=[SECRET]"],
    ["--password ./hunter2", "--password [SECRET]"],
    ['<client_secret type="x"> ab </client_secret>', '<client_secret type="x"> [SECRET] </client_secret>'],
    [
      String.raw`{\u0022password\u0022: \u0022hunter2x\u0022}`,
      String.raw`{\u0022password\u0022: \u0022[SECRET]\u0022}`,
    ],
    ["{&quot;api_key&quot;: &quot;abcd1234&quot;}", "{&quot;api_key&quot;: &quot;[SECRET]&quot;}"],
    ["pwd=hunter2x", "pwd=[SECRET]"],
    ['{"password": "hunter-two"}', '{"password": "[SECRET]"}'],
    [String.raw`{\"password\": \"hunter2xx\"}`, String.raw`{\"password\": \"[SECRET]\"}`],
    ["api_key: abcd1234efgh", "api_key: [SECRET]"],
    ["client_secret='s3cr3t-value'", "client_secret='[SECRET]'"],
    ['config["token"] = "abc12345"', 'config["token"] = "[SECRET]"'],
    ["DB_PASSWORD=p@ssw0rd!x", "DB_PASSWORD=[SECRET]"],
    ["the password is hunter22x, ok", "the password is [SECRET], ok"],
    ["?api_key=12345678&x=1", "?api_key=[SECRET]&x=1"],
    ["aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "aws_secret_access_key = [SECRET]"],
  ],
};

const API_KEYS = [
  "sk-abcdefghij1234567890ABCDEFGHIJ1234567890abcdefgh",
  "sk-proj-abcdefghij1234567890-ABCDEFG_hijklmnop",
  "sk-ant-api03-AbCdEfGh1234567890abcdefAbCdEfGh1234567890",
  "sk-or-v1-0123456789abcdef0123456789abcdef",
  "sk-lf-01234567-89ab-cdef-0123-456789abcdef",
  "lsv2_pt_0123456789abcdef0123456789abcdef_0123456789",
  "AIzaSyA1234567890abcdefghijklmnopqrstuv",
  "ya29.a0AfH6SMBx1234567890abcdefghijklmnop",
  "gsk_abcdefghij1234567890ABCDEFGHIJ1234567890abcdefghij",
  "xai-abcdefghij1234567890ABCDEFGHIJ1234567890",
  "pplx-abcdefghij1234567890ABCDEFGHIJ",
  "r8_abcdefghij1234567890ABCDEFGHIJ123456",
  "hf_abcdefghijklmnopqrstuvwxyz012345",
  "AKIAIOSFODNN7EXAMPLE",
  "ASIAIOSFODNN7EXAMPLE",
  "ghp_abcdefghijklmnopqrstuvwxyz0123456789",
  "github_pat_11ABCDEFG0abcdefghijkl_mnopqrstuvwxyz0123456789",
  "glpat-abcdefghij1234567890",
  "xoxb-123456789012-abcdefghijkl",
  "xapp-1-A0123456789-1234567890123-abcdef0123456789",
  "sk_live_abcdefghij1234567890",
  "rk_live_abcdefghij1234567890",
  "whsec_abcdefghij1234567890ABCDEFGHIJ12",
  "SG.abcdefghijklmnopqrstuv.abcdefghijklmnopqrstuvwxyz0123456789abcdefg",
  "SK0123456789abcdef0123456789abcdef",
  "npm_abcdefghijklmnopqrstuvwxyz0123456789",
  "pypi-AgEIcHlwaS5vcmcCJDAxMjM0NTY3LTg5YWItY2RlZi0wMTIzLTQ1Njc4OWFiY2RlZg",
  "dapi0123456789abcdef0123456789abcdef",
  "dop_v1_0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
  "123456789:AAabcdefghijklmnopqrstuvwxyz01234567",
  "shpat_0123456789abcdef0123456789abcdef",
  "ntn_abcdefghij1234567890ABCDEFGHIJ1234567890abcd",
  "lin_api_abcdefghij1234567890ABCDEFGHIJ1234567890",
  "hvs.CAESIabcdefghij1234567890",
  "hf_abcdefghijklmnopqrstuvwxyzabcdefgh",
];

describe("spec 4.9 rule 4: the built-in patterns replace their matches", () => {
  for (const [pattern, cases] of Object.entries(REDACTED)) {
    it(pattern, () => {
      for (const [text, expected] of cases) {
        const redactor = textRedactor();
        expect(redactor.redact(text)).toBe(expected);
        expect(Object.keys(redactor.counts)).toEqual([pattern]);
      }
    });
  }

  it.each(API_KEYS)("api_key: %s", (key) => {
    expect(redact(`use ${key} here`)).toBe("use [API_KEY] here");
    expect(redact(JSON.stringify({ text: `a\n${key}` }))).toBe(String.raw`{"text":"a\n[API_KEY]"}`);
  });

  it("api_key: the address of a webhook", () => {
    expect(redact("https://hooks.slack.com/services/T01234567/B01234567/abcdefghij0123456789ABCD")).toBe(
      "https://hooks.slack.com/[API_KEY]",
    );
    const secret = "abcdefghij0123456789".repeat(4).slice(0, 68);
    expect(redact(`https://discord.com/api/webhooks/123456789012345678/${secret}`)).toBe(
      "https://discord.com/api/[API_KEY]",
    );
  });

  it("api_key: a key after a name and an underscore", () => {
    expect(redact("OPENAI_sk-abcdefghij1234567890ABCDEFGHIJ")).toBe("OPENAI_[API_KEY]");
    expect(redact("ci_ghp_abcdefghijklmnopqrstuvwxyz0123456789")).toBe("ci_[API_KEY]");
  });

  it("counts every match by pattern", () => {
    const redactor = textRedactor();
    redactor.redact("a@b.example, c@d.example, 123-45-6789");
    expect(redactor.counts).toEqual({ email: 2, us_ssn: 1 });
  });
});

describe("spec 4.9 rule 4: an invalid number does not match", () => {
  it.each([
    ["a card with a wrong check digit", "4111111111111112"],
    ["16 digits without an issuer", "1234567812345670"],
    ["a card in a longer number", "94111111111111111"],
    ["an SSN of area 000", "000-12-3456"],
    ["an SSN of area 666", "666-12-3456"],
    ["an SSN of area 900", "900-12-3456"],
    ["an SSN of group 00", "123-00-4567"],
    ["an SSN of serial 0000", "123-45-0000"],
    ["nine digits without a keyword", "123456789"],
    ["a NINO with an unassigned prefix", "BG123456A"],
    ["a NINO with a wrong suffix", "AB123456E"],
    ["an IBAN with a wrong checksum", "DE88370400440532013000"],
    ["an IBAN of a wrong length", "DE8937040044053201300"],
    ["an IPv4 address with an invalid octet", "256.1.1.1"],
    ["a DNI with a wrong letter", "12345678A"],
    ["an Aadhaar with a wrong check digit", "2345 6789 0123"],
    ["a phone number without a valid area code", "123-555-2671"],
    ["a phone number without a valid country code", "+999 1234 5678"],
  ])("%s", (_what, text) => {
    expect(redact(text)).toBe(text);
  });

  it("ignores keywords within a replacement", () => {
    expect(redact("123-45-6789 order 234567891")).toBe("[US_SSN] order 234567891");
  });
});
