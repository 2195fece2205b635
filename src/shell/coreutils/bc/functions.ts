/** The functions of `bc -l`, computed with digits to spare and cut at the scale that was asked for. */
import {
  add,
  compare,
  divide,
  int,
  multiply,
  negate,
  type Num,
  ONE,
  power10,
  rescale,
  squareRoot,
  subtract,
  whole,
  ZERO,
} from "./number.ts";

/** Fixed-point: all values times the same power of ten. */
class Fixed {
  readonly one: bigint;
  constructor(readonly scale: number, readonly poll: () => void) {
    this.one = power10(scale);
  }
  from(a: Num): bigint {
    return rescale(a, this.scale).digits;
  }
  to(value: bigint, scale: number): Num {
    return rescale({ digits: value, scale: this.scale }, scale);
  }
  times(a: bigint, b: bigint): bigint {
    return a * b / this.one;
  }

  /** arctan of a small number. */
  arctan(x: bigint): bigint {
    const square = this.times(x, x);
    let power = x, sum = x;
    for (let n = 3n; power !== 0n; n += 2n) {
      this.poll();
      power = -this.times(power, square);
      sum += power / n;
    }
    return sum;
  }

  /** Machin's formula. */
  get pi(): bigint {
    return 4n * (4n * this.arctan(this.one / 5n) - this.arctan(this.one / 239n));
  }
}

function digitsBefore(x: Num): number {
  const text = whole(x).toString().replace("-", "");
  return text === "0" ? 0 : text.length;
}

export function exponential(x: Num, scale: number, poll: () => void): Num {
  if (x.digits < 0n) {
    const inner = exponential(negate(x), scale + 2, poll);
    return divide(ONE, inner, scale)!;
  }
  // e^x has about 0.44 x digits before the point: so many more are needed.
  const extra = Math.ceil(Number(whole(x)) * 0.44) + 10;
  const fixed = new Fixed(scale + extra + x.scale, poll);
  let value = fixed.from(x);
  let halvings = 0;
  for (; value > fixed.one / 4n; value /= 2n) halvings++;
  const work = new Fixed(fixed.scale + halvings, poll);
  value = work.from({ digits: x.digits, scale: x.scale }) / 2n ** BigInt(halvings);
  let term = work.one, sum = work.one;
  for (let n = 1n; term !== 0n; n++) {
    poll();
    term = work.times(term, value) / n;
    sum += term;
  }
  for (let i = 0; i < halvings; i++) {
    poll();
    sum = work.times(sum, sum);
  }
  return work.to(sum, scale);
}

/** Of a number that is not positive bc answers the largest negative one it can write in `scale` digits. */
export function logarithm(x: Num, scale: number, poll: () => void): Num {
  if (x.digits <= 0n) return rescale(divide(subtract(ONE, int(power10(scale))), ONE, scale)!, scale);
  const fixed = new Fixed(scale + digitsBefore(x) + x.scale + 10, poll);
  let value = fixed.from(x);
  let doublings = 0n;
  // Roots bring it near to 1.
  while (value > fixed.one * 2n || value < fixed.one / 2n || doublings < 6n) {
    poll();
    value = squareRoot({ digits: value, scale: fixed.scale }, fixed.scale).digits;
    doublings++;
  }
  const ratio = (value - fixed.one) * fixed.one / (value + fixed.one);
  const square = fixed.times(ratio, ratio);
  let power = ratio, sum = ratio;
  for (let n = 3n; power !== 0n; n += 2n) {
    poll();
    power = fixed.times(power, square);
    sum += power / n;
  }
  return fixed.to(sum * 2n ** (doublings + 1n), scale);
}

export function sine(x: Num, scale: number, poll: () => void): Num {
  const fixed = new Fixed(scale + digitsBefore(x) + x.scale + 10, poll);
  const turn = 2n * fixed.pi;
  let value = fixed.from(x) % turn;
  const half = turn / 2n;
  if (value > half) value -= turn;
  if (value < -half) value += turn;
  const square = fixed.times(value, value);
  let term = value, sum = value;
  for (let n = 2n; term !== 0n; n += 2n) {
    poll();
    term = -fixed.times(term, square) / (n * (n + 1n));
    sum += term;
  }
  return fixed.to(sum, scale);
}

export function cosine(x: Num, scale: number, poll: () => void): Num {
  if (x.digits === 0n) return rescale(ONE, scale);
  const fixed = new Fixed(scale + x.scale + 5, poll);
  const quarter = { digits: fixed.pi / 2n, scale: fixed.scale };
  return sine(add(x, quarter), scale, poll);
}

export function arctangent(x: Num, scale: number, poll: () => void): Num {
  if (x.digits < 0n) return negate(arctangent(negate(x), scale, poll));
  const fixed = new Fixed(scale + x.scale + 10, poll);
  const inverted = compare(x, ONE) > 0;
  let value = fixed.from(x);
  if (inverted) value = fixed.one * fixed.one / value;
  // atan(x) = 2 atan(x / (1 + sqrt(1 + x²))), until the series is short.
  let doublings = 0n;
  for (; value > fixed.one / 10n; doublings++) {
    poll();
    const root = squareRoot(
      { digits: fixed.one + fixed.times(value, value), scale: fixed.scale },
      fixed.scale,
    );
    value = value * fixed.one / (fixed.one + root.digits);
  }
  let result = fixed.arctan(value) * 2n ** doublings;
  if (inverted) result = fixed.pi / 2n - result;
  return fixed.to(result, scale);
}

/** Bessel's function of a whole order. */
export function bessel(order: Num, x: Num, scale: number, poll: () => void): Num {
  let n = whole(order);
  const flip = n < 0n && n % 2n !== 0n;
  if (n < 0n) n = -n;
  const fixed = new Fixed(
    scale + 2 * digitsBefore(x) + Math.ceil(Number(whole(multiply(x, x, 0)) % 1000n)) + x.scale + 10,
    poll,
  );
  const value = fixed.from(x);
  const quarter = -fixed.times(value, value) / 4n;
  let term = fixed.one;
  for (let i = 1n; i <= n; i++) term = fixed.times(term, value) / (2n * i);
  let sum = term;
  for (let i = 1n; term !== 0n; i++) {
    poll();
    term = fixed.times(term, quarter) / (i * (n + i));
    sum += term;
  }
  const result = fixed.to(sum, scale);
  return flip ? subtract(ZERO, result) : result;
}
