/**
 * Flags of V8 that the program runs with. The first two send plain patterns
 * that backtrack too much to V8's linear engine, so that `^(a+)+$` ends.
 */
export const V8_FLAGS: readonly string[] = [
  "--enable-experimental-regexp-engine-on-excessive-backtracks",
  "--regexp-backtracks-before-fallback=20000",
];
