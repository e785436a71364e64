import { RE2JS } from "re2js";
import type { Steps } from "../../runtime/steps.js";

/**
 * A compiled expression. Senders choose both expression and text. RE2 takes time proportional to the product of their
 * sizes, which is a second for a thousand instructions, and cannot be interrupted. This module therefore runs the compiled
 * RE2 program itself, as an NFA that tracks all states at once.
 */
export interface CompiledSearch {
  /** Number of instructions. */
  readonly size: number;
  /** Returns whether the expression matches anywhere in a text. */
  search(text: string): Steps<boolean>;
}

/** Visited instructions and characters per step, which take 1 to 2 ms. */
const WORK_PER_STEP = 20_000;

/**
 * The compiled program of re2js, which exports no type for it. A test compares every instruction with RE2's own
 * search.
 */
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

/** @throws with the reason when RE2 rejects the expression. */
export function compileSearch(expression: string): CompiledSearch {
  const program = RE2JS.compile(expression).re2().prog as Program;
  return {
    size: program.inst.length,
    *search(text) {
      let current = new StateSet(program.inst.length);
      let next = new StateSet(program.inst.length);
      let work = 0;
      let previousRune = NO_RUNE;
      for (let at = 0; ;) {
        const rune = text.codePointAt(at) ?? NO_RUNE;
        if (current.addAll(program, program.start, emptyWidthFlags(previousRune, rune))) return true;
        if (rune === NO_RUNE) return false;
        at += rune > 0xffff ? 2 : 1;
        const flags = emptyWidthFlags(rune, text.codePointAt(at) ?? NO_RUNE);
        for (let index = 0; index < current.size; index++) {
          const instruction = program.inst[current.at(index)];
          if (
            instruction !== undefined &&
            matchesRune(instruction, rune) &&
            next.addAll(program, instruction.out, flags)
          )
            return true;
        }
        work += 1 + current.size + next.size;
        previousRune = rune;
        [current, next] = [next, current];
        next.clear();
        if (work >= WORK_PER_STEP) {
          work = 0;
          yield;
        }
      }
    },
  };
}

/** The value before the first and after the last character. */
const NO_RUNE = -1;
const NEWLINE = 0x0a;

function matchesRune(instruction: Instruction, rune: number): boolean {
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

/** Flags of the empty-width instruction, as re2js defines them. */
const EMPTY = {
  beginLine: 1,
  endLine: 2,
  beginText: 4,
  endText: 8,
  wordBoundary: 16,
  noWordBoundary: 32,
} as const;

/** Returns the empty-width assertions that hold between two characters. */
function emptyWidthFlags(before: number, after: number): number {
  let flags = 0;
  if (before === NO_RUNE) flags |= EMPTY.beginText | EMPTY.beginLine;
  if (before === NEWLINE) flags |= EMPTY.beginLine;
  if (after === NO_RUNE) flags |= EMPTY.endText | EMPTY.endLine;
  if (after === NEWLINE) flags |= EMPTY.endLine;
  return flags | (isWord(before) === isWord(after) ? EMPTY.noWordBoundary : EMPTY.wordBoundary);
}

function isWord(rune: number): boolean {
  return (
    (rune >= 0x30 && rune <= 0x39) ||
    (rune >= 0x41 && rune <= 0x5a) ||
    rune === 0x5f ||
    (rune >= 0x61 && rune <= 0x7a)
  );
}

/** A sparse set of instructions. */
class StateSet {
  readonly #dense: Int32Array;
  readonly #sparse: Int32Array;
  readonly #pending: number[] = [];
  size = 0;

  constructor(capacity: number) {
    this.#dense = new Int32Array(capacity);
    this.#sparse = new Int32Array(capacity);
  }

  at(index: number): number {
    return this.#dense[index] ?? 0;
  }

  clear(): void {
    this.size = 0;
  }

  /** Adds an instruction and its epsilon closure. @returns true when the closure contains a match. */
  addAll({ inst }: Program, start: number, flags: number): boolean {
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
      else if (op === OP.emptyWidth && (arg & ~flags) === 0) pending.push(out);
    }
    return false;
  }

  #add(instruction: number): boolean {
    const index = this.#sparse[instruction] ?? 0;
    if (index < this.size && this.#dense[index] === instruction) return false;
    this.#sparse[instruction] = this.size;
    this.#dense[this.size++] = instruction;
    return true;
  }
}
