/** The order of two times in RFC 3339 with the time zone Z, to the last digit of their fractions. */
export function byTime(left: string, right: string): number;
