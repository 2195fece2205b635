/**
 * Decimal numbers as bc has them: an integer of any size and how many of its
 * digits stand behind the point. Results are cut, never rounded.
 */

export interface Num {
  /** The value without its point. */
  readonly digits: bigint;
  readonly scale: number;
}

export const ZERO: Num = { digits: 0n, scale: 0 };
export const ONE: Num = { digits: 1n, scale: 0 };

export function power10(exponent: number): bigint {
  return 10n ** BigInt(exponent);
}

export function int(value: bigint | number): Num {
  return { digits: BigInt(value), scale: 0 };
}

/** With so many digits behind the point; what is too much is cut. */
export function rescale(a: Num, scale: number): Num {
  if (a.scale === scale) return a;
  return a.scale < scale
    ? { digits: a.digits * power10(scale - a.scale), scale }
    : { digits: a.digits / power10(a.scale - scale), scale };
}

export function whole(a: Num): bigint {
  return rescale(a, 0).digits;
}

export function negate(a: Num): Num {
  return { digits: -a.digits, scale: a.scale };
}

export function add(a: Num, b: Num): Num {
  const scale = Math.max(a.scale, b.scale);
  return { digits: rescale(a, scale).digits + rescale(b, scale).digits, scale };
}

export function subtract(a: Num, b: Num): Num {
  return add(a, negate(b));
}

export function compare(a: Num, b: Num): number {
  const difference = subtract(a, b).digits;
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

export function multiply(a: Num, b: Num, scale: number): Num {
  const full = a.scale + b.scale;
  const kept = Math.min(full, Math.max(scale, a.scale, b.scale));
  return rescale({ digits: a.digits * b.digits, scale: full }, kept);
}

/** Undefined for a division by zero. */
export function divide(a: Num, b: Num, scale: number): Num | undefined {
  if (b.digits === 0n) return undefined;
  const shift = scale + b.scale - a.scale;
  return shift >= 0
    ? { digits: a.digits * power10(shift) / b.digits, scale }
    : { digits: a.digits / (b.digits * power10(-shift)), scale };
}

export function remainder(a: Num, b: Num, scale: number): Num | undefined {
  const quotient = divide(a, b, scale);
  if (!quotient) return undefined;
  const kept = Math.max(a.scale, b.scale + scale);
  return rescale(subtract(a, { digits: quotient.digits * b.digits, scale: scale + b.scale }), kept);
}

/** To a whole power; undefined for a division by zero. */
export function raise(base: Num, exponent: number, scale: number): Num | undefined {
  if (exponent === 0) return ONE;
  const times = Math.abs(exponent);
  const full = base.scale * times;
  const result = { digits: base.digits ** BigInt(times), scale: full };
  if (exponent < 0) return divide(ONE, result, scale);
  return rescale(result, Math.min(full, Math.max(scale, base.scale)));
}

/** The square root of a number that is not negative. */
export function squareRoot(a: Num, scale: number): Num {
  const kept = Math.max(scale, a.scale);
  return { digits: integerRoot(rescale(a, 2 * kept).digits), scale: kept };
}

function integerRoot(n: bigint): bigint {
  if (n < 2n) return n;
  let x = 1n << BigInt((n.toString(2).length + 1) >> 1);
  for (;;) {
    const y = (x + n / x) >> 1n;
    if (y >= x) return x;
    x = y;
  }
}

/** How many digits a number has, as length() counts them. */
export function digitCount(a: Num): number {
  const text = (a.digits < 0n ? -a.digits : a.digits).toString();
  if (a.digits === 0n) return Math.max(1, a.scale);
  return Math.max(text.length, a.scale);
}

const DIGITS = "0123456789ABCDEF";

/** Reads digits of a base; a single digit counts its own value, in longer ones the largest digit is the base's last. */
export function parseNumber(text: string, base: number): Num {
  const [before, behind = ""] = text.split(".");
  if (before.length + behind.length === 1) {
    const value = int(DIGITS.indexOf(before + behind));
    return behind === "" ? value : divideBy(value.digits, BigInt(base), 1);
  }
  const value = (c: string) => BigInt(Math.min(DIGITS.indexOf(c), base - 1));
  const big = BigInt(base);
  if (base === 10) {
    const clean = (before + behind).replace(/[A-F]/g, "9");
    return { digits: BigInt(clean || "0"), scale: behind.length };
  }
  let head = 0n;
  for (const c of before) head = head * big + value(c);
  let tail = 0n;
  for (const c of behind) tail = tail * big + value(c);
  const fraction = divideBy(tail, big ** BigInt(behind.length), behind.length);
  return { digits: head * power10(behind.length) + fraction.digits, scale: behind.length };
}

function divideBy(a: bigint, b: bigint, scale: number): Num {
  return { digits: a * power10(scale) / b, scale };
}

/** A number in a base, as bc prints it: no zero before the point, digits beyond F as groups of decimals. */
export function formatNumber(a: Num, base: number): string {
  if (a.digits === 0n) return "0";
  const sign = a.digits < 0n ? "-" : "";
  const positive = a.digits < 0n ? -a.digits : a.digits;
  const unit = power10(a.scale);
  const head = positive / unit;
  let rest = positive % unit;
  if (base === 10) {
    const behind = a.scale === 0 ? "" : "." + rest.toString().padStart(a.scale, "0");
    return sign + (head === 0n && a.scale > 0 ? "" : head.toString()) + behind;
  }
  const big = BigInt(base);
  const groups = base > 16;
  const width = String(base - 1).length;
  const digit = (value: bigint) =>
    groups ? " " + value.toString().padStart(width, "0") : DIGITS[Number(value)];
  const before: string[] = [];
  for (let left = head; left > 0n; left /= big) before.unshift(digit(left % big));
  let out = sign + before.join("");
  if (a.scale > 0) {
    out += ".";
    // So many digits that the fraction is told apart from its neighbours.
    let first = true;
    for (let reached = 1n; reached < unit; reached *= big) {
      rest *= big;
      const text = digit(rest / unit);
      out += groups && first ? text.slice(1) : text;
      first = false;
      rest %= unit;
    }
  }
  return out;
}
