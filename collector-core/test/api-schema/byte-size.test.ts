import { expect, it } from "vitest";
import { byteSizeText } from "../../src/api-schema/byte-size.js";

it.each([
  [0, "0 B"],
  [1023, "1023 B"],
  [1024, "1 KiB"],
  [4200, "4.1 KiB"],
  [2 ** 20 - 10, "1 MiB"],
  [212 * 2 ** 20, "212 MiB"],
  [10 * 2 ** 30, "10 GiB"],
  [11.64 * 2 ** 30, "11.6 GiB"],
  [5000 * 2 ** 50, "5000 PiB"],
])("shows %d bytes as %s", (bytes, text) => {
  expect(byteSizeText(bytes)).toBe(text);
});
