import type { Steps } from "../steps/steps.js";

export { runSteps, type Steps } from "../steps/steps.js";

/** Items between two pauses of what is done with each. */
const ITEMS_PAUSE = 1024;

/** Does something with each item, with pauses. */
export function* eachInSteps<Item>(
  items: Iterable<Item>,
  act: (item: Item, index: number) => void,
): Steps<void> {
  let index = 0;
  for (const item of items) {
    act(item, index++);
    if (index % ITEMS_PAUSE === 0) yield;
  }
}

/** What is made of each item, with pauses. */
export function* mapInSteps<Item, Made>(
  items: Iterable<Item>,
  make: (item: Item, index: number) => Made,
): Steps<Made[]> {
  const made: Made[] = [];
  yield* eachInSteps(items, (item, index) => void made.push(make(item, index)));
  return made;
}

/** The items that are chosen, with pauses. */
export function* filterInSteps<Item>(
  items: Iterable<Item>,
  isChosen: (item: Item) => boolean,
): Steps<Item[]> {
  const chosen: Item[] = [];
  yield* eachInSteps(items, (item) => {
    if (isChosen(item)) chosen.push(item);
  });
  return chosen;
}

/** A sorted copy, with pauses. Items that are equal keep their order. */
export function* sortedInSteps<Item>(
  items: readonly Item[],
  compare: (a: Item, b: Item) => number,
): Steps<Item[]> {
  let runs: Item[][] = [];
  for (let from = 0; from < items.length; from += ITEMS_PAUSE) {
    runs.push(items.slice(from, from + ITEMS_PAUSE).sort(compare));
    yield;
  }
  while (runs.length > 1) {
    const merged: Item[][] = [];
    for (let index = 0; index < runs.length; index += 2)
      merged.push(yield* mergedInSteps(runs[index] ?? [], runs[index + 1] ?? [], compare));
    runs = merged;
  }
  return runs[0] ?? [];
}

/** Two sorted lists as one. Of equal items, those of the first list come first. */
function* mergedInSteps<Item>(
  first: readonly Item[],
  second: readonly Item[],
  compare: (a: Item, b: Item) => number,
): Steps<Item[]> {
  const merged: Item[] = [];
  let at = 0;
  for (const item of second) {
    for (let next = first[at]; next !== undefined && compare(next, item) <= 0; next = first[++at]) {
      merged.push(next);
      if (merged.length % ITEMS_PAUSE === 0) yield;
    }
    merged.push(item);
    if (merged.length % ITEMS_PAUSE === 0) yield;
  }
  for (const item of first.slice(at)) merged.push(item);
  return merged;
}

/** Characters that a step may read. */
export const STEP_LENGTH = 64 * 1024;
