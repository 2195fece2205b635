/**
 * The shortest edit between two lists of lines: Myers' algorithm in linear
 * space over numbers that stand for equal lines. Where the lists differ too
 * much to go on with, the rest counts as changed as a whole.
 */

/** A stretch that differs: lines [aStart, aEnd) are replaced by [bStart, bEnd). */
export interface Change {
  aStart: number;
  aEnd: number;
  bStart: number;
  bEnd: number;
}

/** Give up looking for the shortest edit of a part after so many differences. */
const MAX_DIFFERENCES = 6000;

export function diffLines(a: Int32Array, b: Int32Array, poll: () => void): Change[] {
  const removed = new Uint8Array(a.length + 1);
  const added = new Uint8Array(b.length + 1);
  compare(a, b, removed, added, poll);
  shift(a, removed, added, poll);
  shift(b, added, removed, poll);
  const out: Change[] = [];
  for (let i = 0, j = 0; i < a.length || j < b.length;) {
    if (!removed[i] && !added[j]) {
      i++;
      j++;
      continue;
    }
    const change = { aStart: i, aEnd: i, bStart: j, bEnd: j };
    while (i < a.length && removed[i]) i++;
    while (j < b.length && added[j]) j++;
    change.aEnd = i;
    change.bEnd = j;
    out.push(change);
  }
  return out;
}

/** Numbers for lines, equal ones alike. */
export function internLines(lists: readonly (readonly string[])[], poll: () => void): Int32Array[] {
  const numbers = new Map<string, number>();
  return lists.map((list) =>
    Int32Array.from(list, (line, i) => {
      if ((i & 0x3fff) === 0) poll();
      let number = numbers.get(line);
      if (number === undefined) numbers.set(line, number = numbers.size);
      return number;
    })
  );
}

function compare(
  a: Int32Array,
  b: Int32Array,
  removed: Uint8Array,
  added: Uint8Array,
  poll: () => void,
): void {
  const size = a.length + b.length + 3;
  const forward = new Int32Array(size * 2), backward = new Int32Array(size * 2);
  const todo: [number, number, number, number][] = [[0, a.length, 0, b.length]];
  while (todo.length > 0) {
    poll();
    let [aLow, aHigh, bLow, bHigh] = todo.pop()!;
    while (aLow < aHigh && bLow < bHigh && a[aLow] === b[bLow]) {
      aLow++;
      bLow++;
    }
    while (aLow < aHigh && bLow < bHigh && a[aHigh - 1] === b[bHigh - 1]) {
      aHigh--;
      bHigh--;
    }
    if (aLow === aHigh) {
      for (let j = bLow; j < bHigh; j++) added[j] = 1;
      continue;
    }
    if (bLow === bHigh) {
      for (let i = aLow; i < aHigh; i++) removed[i] = 1;
      continue;
    }
    const split = middle(a, aLow, aHigh, b, bLow, bHigh, forward, backward, size, poll);
    if (!split) {
      for (let i = aLow; i < aHigh; i++) removed[i] = 1;
      for (let j = bLow; j < bHigh; j++) added[j] = 1;
      continue;
    }
    todo.push([split[0], aHigh, split[1], bHigh], [aLow, split[0], bLow, split[1]]);
  }
}

/** A place on a shortest path, from both ends at once. */
function middle(
  a: Int32Array,
  aLow: number,
  aHigh: number,
  b: Int32Array,
  bLow: number,
  bHigh: number,
  forward: Int32Array,
  backward: Int32Array,
  zero: number,
  poll: () => void,
): [number, number] | undefined {
  const dMin = aLow - bHigh, dMax = aHigh - bLow;
  const fMid = aLow - bLow, bMid = aHigh - bHigh;
  const odd = ((fMid - bMid) & 1) !== 0;
  let fMin = fMid, fMax = fMid, bMin = bMid, bMax = bMid;
  forward[zero + fMid] = aLow;
  backward[zero + bMid] = aHigh;
  for (let c = 1; c <= MAX_DIFFERENCES; c++) {
    if ((c & 63) === 0) poll();
    if (fMin > dMin) forward[zero + --fMin - 1] = -1;
    else fMin++;
    if (fMax < dMax) forward[zero + ++fMax + 1] = -1;
    else fMax--;
    for (let d = fMax; d >= fMin; d -= 2) {
      const low = forward[zero + d - 1], high = forward[zero + d + 1];
      let x = low < high ? high : low + 1;
      let y = x - d;
      while (x < aHigh && y < bHigh && a[x] === b[y]) {
        x++;
        y++;
      }
      forward[zero + d] = x;
      if (odd && bMin <= d && d <= bMax && backward[zero + d] <= x) return [x, y];
    }
    if (bMin > dMin) backward[zero + --bMin - 1] = 0x7fffffff;
    else bMin++;
    if (bMax < dMax) backward[zero + ++bMax + 1] = 0x7fffffff;
    else bMax--;
    for (let d = bMax; d >= bMin; d -= 2) {
      const low = backward[zero + d - 1], high = backward[zero + d + 1];
      let x = low < high ? low : high - 1;
      let y = x - d;
      while (aLow < x && bLow < y && a[x - 1] === b[y - 1]) {
        x--;
        y--;
      }
      backward[zero + d] = x;
      if (!odd && fMin <= d && d <= fMax && x <= forward[zero + d]) return [x, y];
    }
  }
  return undefined;
}

/**
 * Moves runs of changed lines as GNU does: together with neighbours where
 * they meet, and as far down as they go.
 */
function shift(lines: Int32Array, changed: Uint8Array, other: Uint8Array, poll: () => void): void {
  let i = 0, j = 0;
  const end = lines.length;
  for (;;) {
    while (i < end && !changed[i]) {
      while (other[j++]);
      i++;
    }
    if (i === end) return;
    let start = i;
    while (++i < end && changed[i]);
    while (other[j]) j++;
    let length: number;
    let corresponding: number;
    do {
      poll();
      length = i - start;
      // Up, to join with a run before.
      while (start > 0 && lines[start - 1] === lines[i - 1]) {
        changed[--start] = 1;
        changed[--i] = 0;
        while (start > 0 && changed[start - 1]) start--;
        while (j > 0 && other[--j]);
      }
      corresponding = j > 0 && other[j - 1] ? i : end;
      // Down, as far as it goes.
      while (i !== end && lines[start] === lines[i]) {
        changed[start++] = 0;
        changed[i++] = 1;
        while (i < end && changed[i]) i++;
        while (other[++j]) corresponding = i;
      }
    } while (length !== i - start);
    // Back to where a change of the other side stands.
    while (corresponding < i) {
      changed[--start] = 1;
      changed[--i] = 0;
      while (j > 0 && other[--j]);
    }
  }
}
