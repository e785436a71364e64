import type { Pattern } from "./pattern.js";
import { apiKey, jwt } from "./patterns/api-key.js";
import { assignedSecret } from "./patterns/assigned-secret.js";
import { authorization } from "./patterns/authorization.js";
import { cardNumber } from "./patterns/card-number.js";
import { requestUser, secretOption } from "./patterns/command-line.js";
import { cookie } from "./patterns/cookie.js";
import { email } from "./patterns/email.js";
import { iban } from "./patterns/iban.js";
import { ipv4Address, ipv6Address } from "./patterns/ip-address.js";
import { nationalId } from "./patterns/national-id.js";
import { EUROPEAN_IDS } from "./patterns/national-ids-europe.js";
import { WORLD_IDS } from "./patterns/national-ids-world.js";
import { namedPhoneNumber, phoneNumber } from "./patterns/phone-number.js";
import { privateKey } from "./patterns/private-key.js";
import { urlCredentials } from "./patterns/url-credentials.js";
import { secretElement } from "./patterns/xml-element.js";

/**
 * The built-in patterns in order, the most specific first (spec 4.9 rule 4). Thus a card number does not become a
 * phone number, nor the password in a URL the beginning of an email address.
 */
export const BUILT_IN_PATTERNS: readonly Pattern[] = [
  privateKey,
  jwt,
  apiKey,
  urlCredentials,
  requestUser,
  authorization,
  cookie,
  secretOption,
  secretElement,
  assignedSecret,
  email,
  iban,
  cardNumber,
  ...[...WORLD_IDS, ...EUROPEAN_IDS].flatMap(nationalId),
  ipv6Address,
  ipv4Address,
  phoneNumber,
  namedPhoneNumber,
];
