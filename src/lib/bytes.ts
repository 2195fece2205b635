/** Plain bytes. */

/** All pieces in one: always a copy. `length`: bytes in all, where that is known. */
export function concatBytes(
  pieces: readonly Uint8Array[],
  length: number = pieces.reduce((sum, piece) => sum + piece.length, 0),
): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}
