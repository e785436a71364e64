/** The wire format of protobuf, as far as a benchmark's bodies need it. Each function returns the bytes of one field. */

const VARINT = 0;
const FIXED_64 = 1;
const LENGTH_DELIMITED = 2;

/** @param {number} value - not negative. */
function varint(value) {
  const bytes = [];
  let rest = BigInt(value);
  for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128);
  return Buffer.from([...bytes, Number(rest)]);
}

const tag = (field, type) => varint(field * 8 + type);

/** A message, its fields in order. */
export function message(field, ...fields) {
  const body = Buffer.concat(fields);
  return Buffer.concat([tag(field, LENGTH_DELIMITED), varint(body.length), body]);
}

export const bytes = (field, value) => message(field, value);
export const text = (field, value) => message(field, Buffer.from(value));
export const integer = (field, value) => Buffer.concat([tag(field, VARINT), varint(value)]);

/** @param {bigint} value */
export function fixed64(field, value) {
  const body = Buffer.alloc(8);
  body.writeBigUInt64LE(value);
  return Buffer.concat([tag(field, FIXED_64), body]);
}

export function double(field, value) {
  const body = Buffer.alloc(8);
  body.writeDoubleLE(value);
  return Buffer.concat([tag(field, FIXED_64), body]);
}
