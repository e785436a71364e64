import type { Pattern } from "./pattern.js";
import { apiKey, jwt } from "./patterns/api-key.js";
import { assignedPass } from "./patterns/assigned-pass.js";
import { assignedSecret } from "./patterns/assigned-secret.js";
import { authorization } from "./patterns/authorization.js";
import { cardNumber } from "./patterns/card-number.js";
import { requestUser, secretOption } from "./patterns/command-line.js";
import { cookie } from "./patterns/cookie.js";
import { dockerAuth } from "./patterns/docker-auth.js";
import { email } from "./patterns/email.js";
import { environmentVariable } from "./patterns/environment-variable.js";
import { iban } from "./patterns/iban.js";
import { ipv4Address, ipv6Address } from "./patterns/ip-address.js";
import { nationalId } from "./patterns/national-id.js";
import { EUROPEAN_IDS } from "./patterns/national-ids-europe.js";
import { WORLD_IDS } from "./patterns/national-ids-world.js";
import { pairedSecret } from "./patterns/name-value-pair.js";
import { netrcPassword } from "./patterns/netrc.js";
import { namedPhoneNumber, phoneNumber } from "./patterns/phone-number.js";
import { privateKey } from "./patterns/private-key.js";
import { setVariable } from "./patterns/set-variable.js";
import { optionCredentials, shortOption } from "./patterns/short-option.js";
import { sqlPassword } from "./patterns/sql-password.js";
import { tableCell } from "./patterns/table-cell.js";
import { urlCredentials } from "./patterns/url-credentials.js";
import { urlSignature } from "./patterns/url-signature.js";
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
  optionCredentials,
  dockerAuth,
  authorization,
  cookie,
  secretOption,
  shortOption,
  netrcPassword,
  secretElement,
  environmentVariable,
  setVariable,
  sqlPassword,
  pairedSecret,
  tableCell,
  urlSignature,
  assignedSecret,
  assignedPass,
  email,
  iban,
  cardNumber,
  ...[...WORLD_IDS, ...EUROPEAN_IDS].flatMap(nationalId),
  ipv6Address,
  ipv4Address,
  phoneNumber,
  namedPhoneNumber,
];
