/** factor: the prime factors of numbers of any size. */
import type { UtilityContext } from "../builtin.ts";
import { LineReader } from "./shared/blocks.ts";
import { parseOptions } from "./shared/options.ts";
import { cite, complain } from "./shared/report.ts";

const TABLE = { options: ["h|exponents"], usage: "[OPTION] [NUMBER]..." };

export async function run(context: UtilityContext): Promise<number> {
  const options = parseOptions(context, TABLE);
  let status = 0;
  const one = async (text: string) => {
    context.poll();
    const match = /^[ ]*\+?(\d+)$/.exec(text);
    if (!match) {
      await complain(context, `${cite(text)} is not a valid positive integer`);
      status = 1;
      return;
    }
    const number = BigInt(match[1]);
    const factors = factorize(number, () => context.poll());
    const shown = options.has("h") ? powers(factors) : factors.map(String);
    const done = context.stdout.print(`${number}:${shown.map((each) => ` ${each}`).join("")}\n`);
    if (done) await done;
  };
  if (options.operands.length > 0) {
    for (const text of options.operands) await one(text);
    return status;
  }
  const reader = new LineReader(context.stdin);
  for (let line = await reader.next(); line !== undefined; line = await reader.next()) {
    for (const text of line.split(/[ \t]+/)) if (text !== "") await one(text);
  }
  return status;
}

function powers(factors: readonly bigint[]): string[] {
  const out: string[] = [];
  for (let i = 0, end = 0; i < factors.length; i = end) {
    while (factors[end] === factors[i]) end++;
    out.push(end - i > 1 ? `${factors[i]}^${end - i}` : String(factors[i]));
  }
  return out;
}

/** Small factors are tried, what is left is split by Pollard's rho in Brent's form. */
export function factorize(number: bigint, poll: () => void): bigint[] {
  const out: bigint[] = [];
  if (number < 2n) return out;
  for (const small of [2n, 3n, 5n]) {
    for (; number % small === 0n; number /= small) out.push(small);
  }
  const limit = 10_000n;
  for (let trial = 7n, step = 0; trial < limit && trial * trial <= number; step++) {
    for (; number % trial === 0n; number /= trial) out.push(trial);
    trial += WHEEL[step & 7];
  }
  const todo = number > 1n ? [number] : [];
  while (todo.length > 0) {
    const part = todo.pop()!;
    if (part < limit * limit || isPrime(part, poll)) {
      out.push(part);
      continue;
    }
    const divisor = rho(part, poll);
    todo.push(divisor, part / divisor);
  }
  return out.sort((a, b) => a < b ? -1 : a > b ? 1 : 0);
}

/** Steps between the numbers that 2, 3 and 5 do not divide, from 7 on. */
const WHEEL = [4n, 2n, 4n, 2n, 4n, 6n, 2n, 6n];

const BASES = [2n, 3n, 5n, 7n, 11n, 13n, 17n, 19n, 23n, 29n, 31n, 37n, 41n, 43n, 47n, 53n];

/** Miller and Rabin's test: certain below 2^81, and wrong beyond with a chance that nobody will see. */
function isPrime(n: bigint, poll: () => void): boolean {
  let odd = n - 1n;
  let twos = 0;
  for (; (odd & 1n) === 0n; odd >>= 1n) twos++;
  witness: for (const base of BASES) {
    poll();
    if (n === base) return true;
    let x = power(base, odd, n);
    if (x === 1n || x === n - 1n) continue;
    for (let i = 1; i < twos; i++) {
      x = x * x % n;
      if (x === n - 1n) continue witness;
    }
    return false;
  }
  return true;
}

function power(base: bigint, exponent: bigint, modulus: bigint): bigint {
  let result = 1n;
  for (let b = base % modulus; exponent > 0n; exponent >>= 1n) {
    if ((exponent & 1n) === 1n) result = result * b % modulus;
    b = b * b % modulus;
  }
  return result;
}

function rho(n: bigint, poll: () => void): bigint {
  for (let c = 1n;; c++) {
    let y = 2n, x = 2n, start = 2n, divisor = 1n, product = 1n;
    for (let length = 1; divisor === 1n; length *= 2) {
      x = y;
      for (let i = 0; i < length; i++) {
        if ((i & 1023) === 1023) poll();
        y = (y * y + c) % n;
      }
      for (let done = 0; done < length && divisor === 1n; done += 128) {
        poll();
        start = y;
        for (let i = Math.min(128, length - done); i > 0; i--) {
          y = (y * y + c) % n;
          product = product * distance(x, y) % n;
        }
        divisor = gcd(product, n);
      }
    }
    // Several factors at once: step by step from the start of the batch.
    if (divisor === n) {
      divisor = 1n;
      while (divisor === 1n) {
        start = (start * start + c) % n;
        divisor = gcd(distance(x, start), n);
      }
    }
    if (divisor !== n) return divisor;
  }
}

function distance(a: bigint, b: bigint): bigint {
  return a > b ? a - b : b - a;
}

function gcd(a: bigint, b: bigint): bigint {
  while (b !== 0n) [a, b] = [b, a % b];
  return a;
}
