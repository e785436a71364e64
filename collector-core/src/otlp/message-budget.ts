/** Maximum number of resources, scopes, spans, events and links of a request. */
const MAX_MESSAGES = 200_000;
/** Maximum number of attributes and map entries. The largest body of ordinary spans has 400,000. */
const MAX_ATTRIBUTES = 500_000;
/** Maximum number of lists and maps in attributes. */
const MAX_CONTAINERS = 600_000;
/** Maximum number of items in all lists: a request of 10 MB can have a million numbers of 8 bytes. */
const MAX_LIST_ITEMS = 1_000_000;
/** Maximum number of control characters. JSON writes each as six characters. */
const MAX_CONTROL_CHARACTERS = 1_000_000;

/** Messages, attributes, lists, maps and items that are read in one step. */
const STEP_COST = 2000;

/** A request has too many parts to map without blocking the event loop. */
export class TooManyMessages extends Error {
  override readonly name = "TooManyMessages";

  constructor(
    readonly what: string,
    readonly max: number,
  ) {
    super(`More than ${max} ${what}.`);
  }
}

/**
 * Counts the parts of a request while it is decoded. An empty message has two bytes and becomes an object of several
 * hundred: 10 MB of them would take gigabytes.
 */
export class MessageBudget {
  #messages = 0;
  #attributes = 0;
  #containers = 0;
  #listItems = 0;
  #controlCharacters = 0;
  #costAtStep = 0;

  /** True once per step: when what has been counted since the last step takes a millisecond or so to read. */
  isStepOver(): boolean {
    const cost = this.#messages + this.#attributes + this.#containers + this.#listItems;
    if (cost - this.#costAtStep < STEP_COST) return false;
    this.#costAtStep = cost;
    return true;
  }

  /** Counts a resource, a scope, a span, an event or a link. @throws {@link TooManyMessages}. */
  takeMessage(): void {
    if (++this.#messages > MAX_MESSAGES)
      throw new TooManyMessages("resources, scopes, spans, events and links", MAX_MESSAGES);
  }

  /** Counts attributes. Each new key costs a microsecond. @throws {@link TooManyMessages}. */
  takeAttributes(count: number): void {
    this.#attributes += count;
    if (this.#attributes > MAX_ATTRIBUTES) throw new TooManyMessages("attributes", MAX_ATTRIBUTES);
  }

  /** Counts a list or a map in a value. @throws {@link TooManyMessages}. */
  takeContainer(): void {
    if (++this.#containers > MAX_CONTAINERS) throw new TooManyMessages("lists and maps", MAX_CONTAINERS);
  }

  /** Counts items of lists. @throws {@link TooManyMessages}. */
  takeListItems(count: number): void {
    this.#listItems += count;
    if (this.#listItems > MAX_LIST_ITEMS) throw new TooManyMessages("items of lists", MAX_LIST_ITEMS);
  }

  /** Counts control characters other than tabs and line ends. @throws {@link TooManyMessages}. */
  takeControlCharacters(count: number): void {
    this.#controlCharacters += count;
    if (this.#controlCharacters > MAX_CONTROL_CHARACTERS)
      throw new TooManyMessages("control characters", MAX_CONTROL_CHARACTERS);
  }
}
