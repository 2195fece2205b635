/**
 * An engine that takes time in proportion to text times pattern, whatever the
 * pattern: all threads of the machine step over the text together (Pike's
 * method). Slower than V8 by far; used for what V8 would backtrack on without
 * end. Knows neither look-around nor back-references.
 */
import { type CharSet, inSet, type Node, type Tree } from "./ast.ts";
import { RegexError } from "./error.ts";
import { asserted } from "./position.ts";

const enum Op {
  Char,
  Set,
  Split,
  Jump,
  Save,
  Assert,
  Match,
}

interface Step {
  op: Op;
  /** Char: code; Save: slot; Split and Jump: first target. */
  x: number;
  /** Split: second target. */
  y: number;
  set?: CharSet;
  ascii?: Uint8Array;
  assert?: Extract<Node, { type: "assert" }>;
}

const MAX_STEPS = 20_000;

/**
 * After Pike's and Thompson's machines as Russ Cox describes them (Regular Expression
 * Matching: the Virtual Machine Approach, 2009). Throws RegexError "refused" for a pattern
 * of too many steps.
 */
export class PikeProgram {
  readonly linear = true;
  readonly #steps: Step[] = [];
  readonly #slots: number;

  constructor(tree: Tree) {
    this.#slots = (tree.groups + 1) * 2;
    this.#add(Op.Save, 0);
    this.#compile(tree.root);
    this.#add(Op.Save, 1);
    this.#add(Op.Match);
  }

  #add(op: Op, x = 0, y = 0): Step {
    if (this.#steps.length >= MAX_STEPS) throw new RegexError("refused", "Regular expression too big");
    const step: Step = { op, x, y };
    this.#steps.push(step);
    return step;
  }

  #compile(node: Node): void {
    switch (node.type) {
      case "empty":
        return;
      case "char":
        this.#add(Op.Char, node.code);
        return;
      case "set": {
        const step = this.#add(Op.Set);
        step.set = node.set;
        step.ascii = Uint8Array.from({ length: 128 }, (_, code) => inSet(node.set, code) ? 1 : 0);
        return;
      }
      case "cat":
        for (const item of node.items) this.#compile(item);
        return;
      case "alt": {
        const jumps: Step[] = [];
        node.items.forEach((item, i) => {
          if (i === node.items.length - 1) {
            this.#compile(item);
            return;
          }
          const split = this.#add(Op.Split);
          split.x = this.#steps.length;
          this.#compile(item);
          jumps.push(this.#add(Op.Jump));
          split.y = this.#steps.length;
        });
        for (const jump of jumps) jump.x = this.#steps.length;
        return;
      }
      case "group":
        this.#add(Op.Save, node.index * 2);
        this.#compile(node.body);
        this.#add(Op.Save, node.index * 2 + 1);
        return;
      case "atomic":
      case "look":
      case "backref":
        throw new Error("not for this engine");
      case "assert":
        this.#add(Op.Assert).assert = node;
        return;
      case "repeat": {
        for (let i = 0; i < node.min; i++) this.#compile(node.body);
        if (node.max === Infinity) {
          const split = this.#add(Op.Split);
          const start = this.#steps.length;
          this.#compile(node.body);
          this.#add(Op.Jump, this.#steps.indexOf(split, start - 1));
          this.#aim(split, start, this.#steps.length, node.lazy);
          return;
        }
        const splits: [Step, number][] = [];
        for (let i = node.min; i < node.max; i++) {
          const split = this.#add(Op.Split);
          splits.push([split, this.#steps.length]);
          this.#compile(node.body);
        }
        for (const [split, start] of splits) this.#aim(split, start, this.#steps.length, node.lazy);
      }
    }
  }

  #aim(split: Step, into: number, past: number, lazy: boolean): void {
    split.x = lazy ? past : into;
    split.y = lazy ? into : past;
  }

  /** Positions of the leftmost match at or after `from` (start and end of each group, -1 where it took no part). */
  run(text: string, from: number, spend: (steps: number) => void): Int32Array | undefined {
    const steps = this.#steps;
    let current: number[] = [];
    let currentSaves: Int32Array[] = [];
    let next: number[] = [];
    let nextSaves: Int32Array[] = [];
    const mark = new Int32Array(steps.length).fill(-1);
    let generation = 0;
    let found: Int32Array | undefined;

    const follow = (
      list: number[],
      saves: Int32Array[],
      start: number,
      startSave: Int32Array,
      at: number,
    ): void => {
      const stack: [number, Int32Array][] = [[start, startSave]];
      while (stack.length > 0) {
        const [pc, save] = stack.pop()!;
        if (mark[pc] === generation) continue;
        mark[pc] = generation;
        const step = steps[pc];
        switch (step.op) {
          case Op.Jump:
            stack.push([step.x, save]);
            break;
          case Op.Split:
            stack.push([step.y, save], [step.x, save]);
            break;
          case Op.Save: {
            const copy = save.slice();
            copy[step.x] = at;
            stack.push([pc + 1, copy]);
            break;
          }
          case Op.Assert:
            if (asserted(step.assert!, text, at)) stack.push([pc + 1, save]);
            break;
          default:
            list.push(pc);
            saves.push(save);
        }
      }
    };

    for (let at = from;;) {
      if (!found) {
        // A new thread starts here, behind those that are under way. The mark of this position is kept from the step before.
        if (current.length === 0) generation++;
        follow(current, currentSaves, 0, new Int32Array(this.#slots).fill(-1), at);
      }
      if (current.length === 0 && found) return found;
      // None may be under way here, where an anchor keeps them all back, and one begin further on.
      spend(current.length + 1);
      const end = at >= text.length;
      const code = end ? -1 : text.codePointAt(at)!;
      const width = code > 0xffff ? 2 : 1;
      generation++;
      for (let i = 0; i < current.length; i++) {
        const step = steps[current[i]];
        if (step.op === Op.Match) {
          found = currentSaves[i];
          break;
        }
        if (end) continue;
        const taken = step.op === Op.Char
          ? step.x === code
          : code < 128
          ? step.ascii![code] === 1
          : inSet(step.set!, code);
        if (taken) follow(next, nextSaves, current[i] + 1, currentSaves[i], at + width);
      }
      if (end) return found;
      [current, next] = [next, current];
      [currentSaves, nextSaves] = [nextSaves, currentSaves];
      next.length = 0;
      nextSaves.length = 0;
      at += width;
      if (found && current.length === 0) return found;
    }
  }
}
