import { InvalidArgumentError, type Command } from "commander";

/** Help of commands that take a query. */
const LANGUAGE =
  "\nThe query is in the language of the pages: status:error model:gpt-4o duration:>2s cost:>0.1 -tool:search " +
  "score:relevance<0.5 start:>-2h @customer.tier:gold '\"late parcel\"'. All conditions must hold.";

/** Adds the argument `[query...]`. Conditions may stand in one argument or in several. */
export function addQueryArgument(command: Command): Command {
  return command.argument("[query...]", "conditions that the traces meet").addHelpText("after", LANGUAGE);
}

/** The query of the arguments; undefined without a condition. */
export function queryOf(words: readonly string[]): string | undefined {
  const query = words.join(" ").trim();
  return query === "" ? undefined : query;
}

/**
 * Puts negated conditions, such as `-status:OK`, behind `--`, so that they are not taken for options. What is already behind it,
 * and the values of options, stay where they are.
 */
export function withNegatedTerms(args: readonly string[], { options }: Command): string[] {
  const end = args.indexOf("--");
  const before = end === -1 ? args : args.slice(0, end);
  const after = end === -1 ? [] : args.slice(end + 1);
  const isNegated = (arg: string, index: number): boolean => {
    const option = options.find(({ short, long }) => [short, long].includes(before[index - 1]));
    return /^-[@a-z_"][^\s:]*:./i.test(arg) && option?.required !== true;
  };
  const negated = before.filter(isNegated);
  if (negated.length === 0) return [...args];
  return [...before.filter((arg, index) => !isNegated(arg, index)), "--", ...negated, ...after];
}

/** Reads a whole number of an option. */
export function wholeNumber(min: number, max: number): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (!/^\d{1,9}$/.test(text) || number < min || number > max)
      throw new InvalidArgumentError(
        `It must be a whole number from ${min} to ${max.toLocaleString("en-US")}.`,
      );
    return number;
  };
}
