/**
 * The variables of a shell. One map holds what is visible; a function call
 * saves what its locals hide and puts it back when it ends (dynamic scope).
 * Subshells share the map and its values until one side writes
 * (copy-on-write by owner marks).
 */
import { type ArithScope, evaluate } from "../expand/arith.ts";
import { ExpansionError, ReadonlyError, type Vars } from "../expand/config.ts";
import {
  ARRAY,
  ASSOC,
  CAPITAL,
  DYNAMIC,
  EXPORT,
  IndexedArray,
  INTEGER,
  LOWER,
  NAMEREF,
  READONLY,
  scalarOf,
  TEMPORARY,
  UPPER,
  type Value,
  type Variable,
} from "../expand/variable.ts";

/** Variables whose value is worked out, or whose assignment does something. */
export interface DynamicVars {
  read(name: string): Value | undefined;
  /** Takes an assignment over; false: store it as usual. */
  write(name: string, value: string): boolean;
  /** The same for one element. */
  writeElement(name: string, key: string, value: string): boolean;
}

interface Frame {
  readonly saved: Map<string, Variable | undefined>;
}

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

export class VarTable implements Vars, ArithScope {
  #map: Map<string, Variable>;
  #mapOwner: object;
  #id: object = {};
  #frames: Frame[] = [];
  /** Sets of temporary variables, each with what it hides. */
  #temporary: Map<string, Variable | undefined>[] = [];
  #exports: ReadonlyMap<string, string> | undefined;
  /** Names of variables that were changed and matter elsewhere (PATH) are told here. */
  onChange: ((name: string) => void) | undefined;
  dynamic: DynamicVars | undefined;
  nounset = false;
  allexport = false;
  warn: (text: string) => void = () => {};
  /** Expands a subscript that arithmetic or a builtin meets as text. */
  expandKey: ((text: string) => string) | undefined;

  constructor(from?: VarTable) {
    if (from === undefined) {
      this.#map = new Map();
      this.#mapOwner = this.#id;
      return;
    }
    this.#map = from.#map;
    this.#mapOwner = from.#mapOwner;
    this.#frames = from.#frames.map((f) => ({ saved: new Map(f.saved) }));
    this.#temporary = from.#temporary.map((t) => new Map(t));
    this.#exports = from.#exports;
    this.nounset = from.nounset;
    this.allexport = from.allexport;
  }

  fork(): VarTable {
    return new VarTable(this);
  }

  /** From now on everything is shared with a copy that runs at the same time: write to copies only. */
  freeze(): void {
    this.#id = {};
  }

  #ownMap(): Map<string, Variable> {
    if (this.#mapOwner !== this.#id) {
      this.#map = new Map(this.#map);
      this.#mapOwner = this.#id;
    }
    return this.#map;
  }

  /** The variable for writing; undefined where there is none. */
  #own(name: string): Variable | undefined {
    const v = this.#map.get(name);
    if (v === undefined || v.owner === this.#id) return v;
    const value = v.value instanceof IndexedArray
      ? v.value.clone()
      : v.value instanceof Map
      ? new Map(v.value)
      : v.value;
    const copy: Variable = { value, flags: v.flags, frame: v.frame, owner: this.#id };
    this.#ownMap().set(name, copy);
    return copy;
  }

  #changed(name: string, flags: number): void {
    if ((flags & EXPORT) !== 0) this.#exports = undefined;
    if (this.onChange !== undefined && (name === "PATH" || name === "OPTIND" || name === "POSIXLY_CORRECT")) {
      this.onChange(name);
    }
  }

  raw(name: string): Variable | undefined {
    const v = this.#map.get(name);
    if (v !== undefined && (v.flags & DYNAMIC) !== 0) return this.#dynamicVariable(name, v);
    return v;
  }

  #dynamicVariable(name: string, v: Variable): Variable | undefined {
    const value = this.dynamic?.read(name);
    return value === undefined
      ? undefined
      : { value, flags: v.flags & ~DYNAMIC, frame: v.frame, owner: v.owner };
  }

  get(name: string): Variable | undefined {
    const v = this.#map.get(name);
    if (v === undefined) return undefined;
    if ((v.flags & (NAMEREF | DYNAMIC)) === 0) return v;
    if ((v.flags & DYNAMIC) !== 0) return this.#dynamicVariable(name, v);
    const target = this.target(name);
    // Round in a circle there is no value.
    if (target === name) {
      return typeof v.value === "string" && v.value !== "" && v.value !== name ? undefined : v;
    }
    const open = target.indexOf("[");
    if (open === -1) return this.get(target);
    const text = this.element(target.slice(0, open), target.slice(open + 1, -1), 0);
    return text === undefined ? undefined : { value: text, flags: 0, frame: 0, owner: this.#id };
  }

  target(name: string): string {
    let at = name;
    for (let i = 0; i < 20; i++) {
      const v = this.#map.get(at);
      if (v === undefined || (v.flags & NAMEREF) === 0 || typeof v.value !== "string" || v.value === "") {
        return at;
      }
      if (v.value === at) {
        // A local reference to a name of its own: the one outside.
        this.warn(`warning: ${name}: circular name reference`);
        return at;
      }
      at = v.value;
    }
    this.warn(`warning: ${name}: circular name reference`);
    return name;
  }

  text(name: string): string | undefined {
    const v = this.get(name);
    return v === undefined ? undefined : scalarOf(v.value);
  }

  names(): string[] {
    const out: string[] = [];
    for (const [name, v] of this.#map) {
      if (v.value !== undefined || ((v.flags & DYNAMIC) !== 0 && this.dynamic?.read(name) !== undefined)) {
        out.push(name);
      }
    }
    return out;
  }

  /** All names, those without a value too. */
  allNames(): string[] {
    return [...this.#map.keys()];
  }

  /** Makes a variable, or gives the one there is for writing. Namerefs are not followed. */
  declare(name: string): Variable {
    let v = this.#own(name);
    if (v === undefined) {
      v = { value: undefined, flags: this.allexport ? EXPORT : 0, frame: 0, owner: this.#id };
      this.#ownMap().set(name, v);
    }
    return v;
  }

  setFlags(name: string, set: number, clear = 0): void {
    const v = this.declare(name);
    if ((v.flags & DYNAMIC) !== 0 && (set & READONLY) === 0) v.flags = v.flags & ~clear | set;
    else v.flags = v.flags & ~clear | set;
    this.#exports = undefined;
  }

  assign(name: string, value: string, append = false): void {
    let target = name;
    const found = this.#map.get(name);
    if (found !== undefined && (found.flags & NAMEREF) !== 0) {
      target = this.target(name);
      if (target === name) {
        if (
          found.value !== undefined && found.value !== "" ||
          !(NAME.test(value) || /^[A-Za-z_][A-Za-z0-9_]*\[.*\]$/.test(value))
        ) {
          throw new ExpansionError(`\`${value}': not a valid identifier`);
        }
        const own = this.#own(name)!;
        own.value = value;
        return;
      }
      const open = target.indexOf("[");
      if (open !== -1) {
        return this.assignElementText(target.slice(0, open), target.slice(open + 1, -1), value, 0, append);
      }
    }
    const v = this.#own(target) ?? this.declare(target);
    if ((v.flags & READONLY) !== 0) throw new ReadonlyError(target);
    if ((v.flags & DYNAMIC) !== 0) {
      if (this.dynamic?.write(target, value)) return;
      v.flags &= ~DYNAMIC;
    }
    if (this.allexport) v.flags |= EXPORT;
    const text = this.#convert(v, value, append ? scalarOf(v.value) : undefined);
    if (v.value instanceof IndexedArray) v.value.set(0, text);
    else if (v.value instanceof Map) v.value.set("0", text);
    else if ((v.flags & ARRAY) !== 0) v.value = new IndexedArray([text]);
    else if ((v.flags & ASSOC) !== 0) v.value = new Map([["0", text]]);
    else v.value = text;
    this.#changed(target, v.flags);
  }

  /** A value under a variable's attributes; `old` where it is appended. */
  #convert(v: Variable, value: string, old: string | undefined): string {
    const f = v.flags;
    if ((f & (INTEGER | LOWER | UPPER | CAPITAL)) === 0) return old === undefined ? value : old + value;
    if ((f & INTEGER) !== 0) {
      const n = value === "" ? 0 : evaluate(value, this);
      if (old === undefined) return String(n);
      const sum = BigInt(evaluate(old === "" ? "0" : old, this)) + BigInt(n);
      return String(BigInt.asIntN(64, sum));
    }
    const text = old === undefined ? value : old + value;
    if ((f & LOWER) !== 0) return text.toLowerCase();
    if ((f & UPPER) !== 0) {
      return text.replace(/./gsu, (c) => c.toUpperCase().length > c.length ? c : c.toUpperCase());
    }
    return text.charAt(0).toUpperCase() + text.slice(1).toLowerCase();
  }

  assignElement(name: string, key: string | number, value: string, append = false): void {
    const target = this.target(name);
    const v = this.#own(target) ?? this.declare(target);
    if ((v.flags & READONLY) !== 0) throw new ReadonlyError(target);
    if ((v.flags & DYNAMIC) !== 0) {
      if (this.dynamic?.writeElement(target, String(key), value)) return;
      v.flags &= ~DYNAMIC;
    }
    if (v.value instanceof Map || (v.flags & ASSOC) !== 0) {
      const map = v.value instanceof Map ? v.value : v.value = new Map();
      const k = String(key);
      map.set(k, this.#convert(v, value, append ? map.get(k) ?? "" : undefined));
    } else {
      const array = this.#asArray(v);
      let index = Number(key);
      if (index < 0) {
        index += array.end;
        if (index < 0) throw new ExpansionError(`${name}[${key}]: bad array subscript`);
      }
      array.set(index, this.#convert(v, value, append ? array.get(index) ?? "" : undefined));
    }
    this.#changed(target, v.flags);
  }

  #asArray(v: Variable): IndexedArray {
    if (v.value instanceof IndexedArray) return v.value;
    const array = new IndexedArray(typeof v.value === "string" ? [v.value] : []);
    v.value = array;
    return array;
  }

  /** Replaces a whole value; the variable's attributes stay. Items are converted. */
  assignArray(
    name: string,
    items: readonly [key: string | number | undefined, value: string, append: boolean][],
    append: boolean,
  ): void {
    const target = this.target(name);
    const v = this.#own(target) ?? this.declare(target);
    if ((v.flags & READONLY) !== 0) throw new ReadonlyError(target);
    if ((v.flags & DYNAMIC) !== 0) v.flags &= ~DYNAMIC;
    if (this.allexport) v.flags |= EXPORT;
    if (v.value instanceof Map || (v.flags & ASSOC) !== 0) {
      const map: Map<string, string> = append && v.value instanceof Map ? v.value : new Map();
      const old = v.value instanceof Map ? v.value : map;
      for (const [key, value, more] of items) {
        const k = String(key);
        map.set(k, this.#convert(v, value, more ? (map.get(k) ?? old.get(k) ?? "") : undefined));
      }
      v.value = map;
    } else {
      const old = v.value;
      const array = append ? this.#asArray(v) : new IndexedArray();
      let next = array.end;
      for (const [key, value, more] of items) {
        if (key !== undefined) {
          next = Number(key);
          if (next < 0) {
            next += array.end;
            if (next < 0) {
              this.warn(`[${key}]=${value}: bad array subscript`);
              continue;
            }
          }
        }
        const before = more
          ? array.get(next) ?? (old instanceof IndexedArray ? old.get(next) : undefined) ?? ""
          : undefined;
        array.set(next, this.#convert(v, value, before));
        next++;
      }
      v.value = array;
    }
    this.#changed(target, v.flags);
  }

  /** Replaces a value without looking at attributes (mapfile, read -a, PIPESTATUS). */
  setValue(name: string, value: Value): void {
    const target = this.target(name);
    const v = this.#own(target) ?? this.declare(target);
    if ((v.flags & READONLY) !== 0) throw new ReadonlyError(target);
    v.flags &= ~DYNAMIC;
    v.value = value;
    this.#changed(target, v.flags);
  }

  /** Defines an exported variable as a process receives it. */
  import(name: string, value: string): void {
    this.#ownMap().set(name, { value, flags: EXPORT, frame: 0, owner: this.#id });
    this.#exports = undefined;
  }

  addDynamic(name: string, flags = 0): void {
    this.#ownMap().set(name, { value: undefined, flags: DYNAMIC | flags, frame: 0, owner: this.#id });
  }

  // Arithmetic

  element(name: string, index: string, depth: number): string | undefined {
    const v = this.get(name);
    if (v !== undefined && (v.value instanceof Map || (v.flags & ASSOC) !== 0)) {
      return v.value instanceof Map ? v.value.get(this.keyOf(index)) : undefined;
    }
    if (index === "@" || index === "*") return v === undefined ? undefined : scalarOf(v.value);
    let n = Number(evaluate(this.#expression(index), this, depth + 1));
    const value = v?.value;
    if (value === undefined || typeof value === "string") {
      if (n === 0 || (n === -1 && value !== undefined)) return value;
      if (n < 0) this.warn(`${name}: bad array subscript`);
      return undefined;
    }
    if (n < 0) {
      n += (value as IndexedArray).end;
      if (n < 0) {
        this.warn(`${name}: bad array subscript`);
        return undefined;
      }
    }
    return (value as IndexedArray).get(n);
  }

  assignElementText(name: string, index: string, value: string, depth: number, append = false): void {
    const v = this.get(name);
    if (v !== undefined && (v.value instanceof Map || (v.flags & ASSOC) !== 0)) {
      return this.assignElement(name, this.keyOf(index), value, append);
    }
    this.assignElement(name, Number(evaluate(this.#expression(index), this, depth + 1)), value, append);
  }

  // Scopes

  get depth(): number {
    return this.#frames.length;
  }

  pushFrame(): void {
    this.#frames.push({ saved: new Map() });
  }

  popFrame(): void {
    const frame = this.#frames.pop()!;
    if (frame.saved.size === 0) return;
    const map = this.#ownMap();
    for (const [name, old] of frame.saved) {
      const now = map.get(name);
      if (old === undefined) map.delete(name);
      else map.set(name, old);
      if (
        now !== undefined && (now.flags & EXPORT) !== 0 || old !== undefined && (old.flags & EXPORT) !== 0
      ) this.#exports = undefined;
      if (name === "PATH" || name === "OPTIND") this.onChange?.(name);
    }
  }

  /** Makes a name local to the running function. A name that is local already stays as it is. */
  makeLocal(name: string, inherit: boolean): void {
    const depth = this.#frames.length;
    const v = this.#map.get(name);
    if (v !== undefined && v.frame === depth) return;
    if (v !== undefined && (v.flags & READONLY) !== 0 && v.frame === 0 && !inherit) {
      // A global constant cannot be hidden.
      throw new ReadonlyError(name);
    }
    this.#frames[depth - 1].saved.set(name, v);
    // A local takes over the value that the call was given for it.
    const fresh: Variable = (inherit || (v !== undefined && (v.flags & TEMPORARY) !== 0)) && v !== undefined
      ? {
        value: v.value instanceof IndexedArray
          ? v.value.clone()
          : v.value instanceof Map
          ? new Map(v.value)
          : v.value,
        flags: v.flags & ~TEMPORARY,
        frame: depth,
        owner: this.#id,
      }
      : { value: undefined, flags: 0, frame: depth, owner: this.#id };
    this.#ownMap().set(name, fresh);
    if (v !== undefined && (v.flags & EXPORT) !== 0) this.#exports = undefined;
  }

  /** Opens a set of temporary variables (`x=1 command`). */
  pushTemporary(): void {
    this.#temporary.push(new Map());
  }

  /** Ends it: what was hidden comes back. */
  popTemporary(): void {
    const map = this.#ownMap();
    for (const [name, old] of this.#temporary.pop()!) this.#reveal(map, name, old);
    this.#exports = undefined;
  }

  #reveal(map: Map<string, Variable>, name: string, old: Variable | undefined): void {
    if (old === undefined) map.delete(name);
    else map.set(name, old);
    if (name === "PATH" || name === "OPTIND") this.onChange?.(name);
  }

  /** A variable of the innermost temporary set: visible and exported. */
  setTemporary(name: string, value: string, append: boolean): void {
    const saved = this.#temporary[this.#temporary.length - 1];
    const v = this.#map.get(name);
    if (v !== undefined && (v.flags & READONLY) !== 0) throw new ReadonlyError(name);
    if (!saved.has(name)) saved.set(name, v);
    const made: Variable = {
      value: undefined,
      flags: (v === undefined ? 0 : v.flags & (INTEGER | LOWER | UPPER)) | EXPORT | TEMPORARY,
      frame: 0,
      owner: this.#id,
    };
    made.value = this.#convert(
      made,
      value,
      append ? (v === undefined ? "" : scalarOf(v.value) ?? "") : undefined,
    );
    this.#ownMap().set(name, made);
    this.#exports = undefined;
    if (name === "PATH") this.onChange?.(name);
  }

  isLocal(name: string): boolean {
    const v = this.#map.get(name);
    return v !== undefined && v.frame === this.#frames.length && v.frame > 0;
  }

  /** Names local to the running function. */
  localNames(): string[] {
    const depth = this.#frames.length;
    return [...this.#map].filter(([, v]) => v.frame === depth).map(([name]) => name);
  }

  /** The key of an associative array that a subscript's text stands for. */
  keyOf(text: string): string {
    return /[$`"'\\]/.test(text) && this.expandKey !== undefined ? this.expandKey(text) : unquoteKey(text);
  }

  /** A subscript's text as an expression. */
  #expression(text: string): string {
    return /[$`]/.test(text) && this.expandKey !== undefined ? this.expandKey(text) : text;
  }

  /** Runs with the global value of a name in place of what hides it (`declare -g`). */
  withGlobal<T>(name: string, body: () => T): T {
    const frame = this.#frames.find((f) => f.saved.has(name));
    if (frame === undefined) return body();
    const map = this.#ownMap();
    const hidden = map.get(name);
    const global = frame.saved.get(name);
    if (global === undefined) map.delete(name);
    else map.set(name, global);
    try {
      return body();
    } finally {
      frame.saved.set(name, this.#map.get(name));
      if (hidden === undefined) this.#ownMap().delete(name);
      else this.#ownMap().set(name, hidden);
      this.#exports = undefined;
    }
  }

  /** Removes a variable. Answers false where it is readonly. */
  unset(name: string, keepLocal = false): boolean {
    const v = this.#map.get(name);
    if (v === undefined) return true;
    if ((v.flags & READONLY) !== 0) return false;
    const depth = this.#frames.length;
    if ((v.flags & EXPORT) !== 0) this.#exports = undefined;
    const map = this.#ownMap();
    if ((v.flags & TEMPORARY) !== 0) {
      for (let i = this.#temporary.length - 1; i >= 0; i--) {
        const saved = this.#temporary[i];
        if (!saved.has(name)) continue;
        const old = saved.get(name);
        saved.delete(name);
        this.#reveal(map, name, old);
        return true;
      }
    }
    if (v.frame === 0) map.delete(name);
    else if (v.frame === depth || keepLocal) {
      map.set(name, { value: undefined, flags: 0, frame: v.frame, owner: this.#id });
    } else {
      // A caller's local: what it hid comes to light.
      const frame = this.#frames[v.frame - 1];
      const old = frame.saved.get(name);
      frame.saved.delete(name);
      if (old === undefined) map.delete(name);
      else map.set(name, old);
    }
    this.#changed(name, v.flags);
    return true;
  }

  /** The index that a subscript's text stands for. */
  indexOf(text: string): number {
    return Number(evaluate(this.#expression(text), this));
  }

  unsetElement(name: string, key: string | number): boolean {
    const target = this.target(name);
    const v = this.#own(target);
    if (v === undefined) return true;
    if ((v.flags & READONLY) !== 0) return false;
    if (v.value instanceof Map) v.value.delete(String(key));
    else if (v.value instanceof IndexedArray) {
      let index = Number(key);
      if (index < 0) {
        index += v.value.end;
        if (index < 0) throw new ExpansionError(`[${key}]: bad array subscript`);
      }
      v.value.delete(index);
    } else if (Number(key) === 0) return this.unset(target);
    return true;
  }

  /** The environment for commands. */
  exports(): ReadonlyMap<string, string> {
    if (this.#exports !== undefined) return this.#exports;
    const out = new Map<string, string>();
    for (const [name, v] of this.#map) {
      if ((v.flags & EXPORT) === 0) continue;
      const text = (v.flags & DYNAMIC) !== 0 ? scalarOf(this.dynamic?.read(name)) : scalarOf(v.value);
      if (text !== undefined && typeof v.value !== "object") out.set(name, text);
    }
    this.#exports = out;
    return out;
  }

  touchExports(): void {
    this.#exports = undefined;
  }
}

/** A key as arithmetic meets it: quotes around it are not part of it. */
function unquoteKey(text: string): string {
  const m = /^"([\s\S]*)"$|^'([\s\S]*)'$/.exec(text);
  return m === null ? text.replace(/\\([\s\S])/g, "$1") : m[1] ?? m[2];
}
