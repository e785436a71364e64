import { builtIn, findAll } from "../pattern.js";
import { FEATURE } from "../text-features.js";

const SIGNATURE =
  /(?:(?<=[?&;\s"']|^)sig|(?<=[?&]|^|(?:^|[?&\s,;"'])X-(?:Amz|Goog|Oss|Obs)-)signature|(?<=[,\s])Signature(?==[\da-f]{64}(?!\w)))=([\w%+/=.~-]{16,2048})/gi;

/** The signature of a URL, which grants access: `sig=` of Azure, `X-Amz-Signature=`, `Signature=`. */
export const urlSignature = builtIn({
  name: "secret",
  needs: FEATURE.exactName,
  find: (text) =>
    findAll(text, SIGNATURE, ({ 0: whole, 1: value = "", index }) => {
      if (!/\d/.test(value) || !/[A-Za-z]/.test(value)) return false;
      const end = index + whole.length;
      return { start: end - value.length, end };
    }),
});
