import { RE2JS } from "re2js";

/**
 * Asks whether an expression matches somewhere in a text, in steps between which others have their turn. Whoever sends
 * spans writes both. RE2's engine takes time in proportion to the one times the other; that is a second for an
 * expression of a thousand instructions, and its searches cannot be interrupted. So its compiled program is run here: all
 * states that the text so far can have led to are followed at once.
 */
export type Search = Generator<undefined, boolean>;

/** An expression that is ready to be searched with. */
export interface CompiledSearch {
  /** Instructions. */
  readonly size: number;
  search(text: string): Search;
}

/** Instructions and characters between two steps: a millisecond or two. */
const WORK_PER_STEP = 20_000;

/** What re2js compiles to. It exports no type of it; a test holds every instruction against its own search. */
interface Program {
  readonly start: number;
  readonly inst: readonly Instruction[];
}
interface Instruction {
  readonly op: number;
  readonly out: number;
  readonly arg: number;
  readonly runes: ArrayLike<number>;
  matchRune(rune: number): boolean;
}
const OP = {
  alternative: 1,
  alternativeMatch: 2,
  capture: 3,
  emptyWidth: 4,
  fail: 5,
  match: 6,
  nothing: 7,
  rune: 8,
  oneRune: 9,
  anyRune: 10,
  anyRuneButNewline: 11,
} as const;

/** @throws where RE2 does not take the expression, with the reason. */
export function compileSearch(expression: string): CompiledSearch {
  const program = RE2JS.compile(expression).re2().prog as Program;
  return {
    size: program.inst.length,
    *search(text) {
      let now = new StateSet(program.inst.length);
      let next = new StateSet(program.inst.length);
      let work = 0;
      let before = NONE;
      for (let at = 0; ;) {
        const rune = text.codePointAt(at) ?? NONE;
        if (now.addAll(program, program.start, conditions(before, rune))) return true;
        if (rune === NONE) return false;
        at += rune > 0xffff ? 2 : 1;
        const behind = conditions(rune, text.codePointAt(at) ?? NONE);
        for (let index = 0; index < now.size; index++) {
          const instruction = program.inst[now.at(index)];
          if (
            instruction !== undefined &&
            takes(instruction, rune) &&
            next.addAll(program, instruction.out, behind)
          )
            return true;
        }
        work += 1 + now.size + next.size;
        before = rune;
        [now, next] = [next, now];
        next.clear();
        if (work >= WORK_PER_STEP) {
          work = 0;
          yield;
        }
      }
    },
  };
}

/** Before the first character and behind the last one. */
const NONE = -1;
const NEWLINE = 0x0a;

function takes(instruction: Instruction, rune: number): boolean {
  switch (instruction.op) {
    case OP.rune:
      return instruction.matchRune(rune);
    case OP.oneRune:
      return instruction.runes[0] === rune;
    case OP.anyRune:
      return true;
    case OP.anyRuneButNewline:
      return rune !== NEWLINE;
    default:
      return false;
  }
}

/** What is the case between two characters: bits of the operator for empty matches. */
function conditions(before: number, behind: number): number {
  let bits = 0;
  if (before === NONE) bits |= 4 | 1;
  if (before === NEWLINE) bits |= 1;
  if (behind === NONE) bits |= 8 | 2;
  if (behind === NEWLINE) bits |= 2;
  return bits | (isWord(before) === isWord(behind) ? 32 : 16);
}

function isWord(rune: number): boolean {
  return (
    (rune >= 0x30 && rune <= 0x39) ||
    (rune >= 0x41 && rune <= 0x5a) ||
    rune === 0x5f ||
    (rune >= 0x61 && rune <= 0x7a)
  );
}

/** The instructions that are followed, each once. */
class StateSet {
  readonly #dense: Int32Array;
  readonly #places: Int32Array;
  readonly #pending: number[] = [];
  size = 0;

  constructor(capacity: number) {
    this.#dense = new Int32Array(capacity);
    this.#places = new Int32Array(capacity);
  }

  at(index: number): number {
    return this.#dense[index] ?? 0;
  }

  clear(): void {
    this.size = 0;
  }

  /** Adds an instruction, and those that follow it without a character. @returns true where one of them is a match. */
  addAll({ inst }: Program, start: number, conditions: number): boolean {
    const pending = this.#pending;
    pending.length = 0;
    pending.push(start);
    for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
      const instruction = inst[at];
      if (instruction === undefined || !this.#add(at)) continue;
      const { op, out, arg } = instruction;
      if (op === OP.match) return true;
      if (op === OP.alternative || op === OP.alternativeMatch) pending.push(arg, out);
      else if (op === OP.capture || op === OP.nothing) pending.push(out);
      else if (op === OP.emptyWidth && (arg & ~conditions) === 0) pending.push(out);
    }
    return false;
  }

  #add(instruction: number): boolean {
    const place = this.#places[instruction] ?? 0;
    if (place < this.size && this.#dense[place] === instruction) return false;
    this.#places[instruction] = this.size;
    this.#dense[this.size++] = instruction;
    return true;
  }
}
