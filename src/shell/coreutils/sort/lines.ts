/**
 * Lines as offsets into one array of bytes, and the quick order of whole
 * lines by their bytes: a quicksort with three parts over four bytes at a time
 * (no string is ever made, so a million lines cost some 20 MB and a second).
 */

/** Looks for a cancel, and lets others have their turn when it is time. */
export type Rest = () => void | Promise<void>;

export interface Lines {
  readonly bytes: Uint8Array;
  /** Where each line starts, and one more: where the last one's delimiter stands plus one. */
  readonly starts: Uint32Array;
  readonly count: number;
}

/** Splits at the delimiter; the last line must end with it. */
export async function splitLines(
  bytes: Uint8Array,
  delimiter: number,
  rest: Rest,
): Promise<Lines> {
  let starts = new Uint32Array(Math.max(1024, bytes.length >>> 5));
  let count = 0;
  let start = 0;
  while (start < bytes.length) {
    if ((count & 0xffff) === 0) await rest();
    if (count + 2 > starts.length) {
      const larger = new Uint32Array(starts.length * 2);
      larger.set(starts);
      starts = larger;
    }
    starts[count++] = start;
    start = bytes.indexOf(delimiter, start) + 1;
  }
  starts[count] = bytes.length;
  return { bytes, starts, count };
}

export function lineEnd(lines: Lines, line: number): number {
  return lines.starts[line + 1] - 1;
}

/** Compares two stretches of bytes. */
export function compareBytes(bytes: Uint8Array, a: number, aEnd: number, b: number, bEnd: number): number {
  const length = Math.min(aEnd - a, bEnd - b);
  for (let i = 0; i < length; i++) {
    const difference = bytes[a + i] - bytes[b + i];
    if (difference !== 0) return difference;
  }
  return (aEnd - a) - (bEnd - b);
}

/** Order of all lines by their bytes. */
export async function byteOrder(lines: Lines, rest: Rest): Promise<Uint32Array> {
  const { bytes, starts, count } = lines;
  const order = new Uint32Array(count);
  for (let i = 0; i < count; i++) order[i] = i;
  const keys = new Uint32Array(count);

  const load = (low: number, high: number, depth: number): void => {
    for (let i = low; i < high; i++) {
      const at = starts[order[i]] + depth;
      const left = starts[order[i] + 1] - 1 - at;
      // Bytes past the end count as zero; lines that end here are told apart below.
      keys[i] = left >= 4
        ? ((bytes[at] << 24) | (bytes[at + 1] << 16) | (bytes[at + 2] << 8) | bytes[at + 3]) >>> 0
        : left <= 0
        ? 0
        : ((bytes[at] << 24) | (left > 1 ? bytes[at + 1] << 16 : 0) | (left > 2 ? bytes[at + 2] << 8 : 0)) >>>
          0;
    }
  };
  const swap = (i: number, j: number): void => {
    const order1 = order[i], key1 = keys[i];
    order[i] = order[j];
    keys[i] = keys[j];
    order[j] = order1;
    keys[j] = key1;
  };
  const insertion = (low: number, high: number, depth: number): void => {
    for (let i = low + 1; i < high; i++) {
      const line = order[i], key = keys[i];
      let j = i - 1;
      while (j >= low) {
        if (keys[j] < key) break;
        if (keys[j] === key) {
          const other = order[j];
          if (
            compareBytes(
              bytes,
              starts[other] + depth,
              starts[other + 1] - 1,
              starts[line] + depth,
              starts[line + 1] - 1,
            ) <= 0
          ) break;
        }
        order[j + 1] = order[j];
        keys[j + 1] = keys[j];
        j--;
      }
      order[j + 1] = line;
      keys[j + 1] = key;
    }
  };
  /** Lines with the same bytes up to their ends, of which the last four at most stand behind `depth`. */
  const byLength = (ended: Uint32Array, depth: number): void => {
    const length = (line: number) => starts[line + 1] - 1 - starts[line];
    if (ended.length < 64) {
      ended.sort((x, y) => length(x) - length(y) || x - y);
      return;
    }
    // Many are the same line: the engine's own order of numbers is the quick one.
    const all = ended.slice().sort();
    let at = 0;
    for (let wanted = depth; wanted <= depth + 4; wanted++) {
      for (const line of all) if (length(line) === wanted) ended[at++] = line;
    }
  };
  /** [low, high, depth]: ranges still to do; keys hold the four bytes at depth. */
  const todo: [number, number, number][] = [];
  load(0, count, 0);
  todo.push([0, count, 0]);
  let work = 0;
  while (todo.length > 0) {
    const [low, high, depth] = todo.pop()!;
    if (high - low < 2) continue;
    work += high - low;
    if (work > 0xffff) {
      work = 0;
      await rest();
    }
    if (high - low < 16) {
      insertion(low, high, depth);
      continue;
    }
    const middle = (low + high) >>> 1;
    const a = keys[low], b = keys[middle], c = keys[high - 1];
    const pivot = a < b ? (b < c ? b : a < c ? c : a) : a < c ? a : b < c ? c : b;
    let less = low, i = low, greater = high - 1;
    while (i <= greater) {
      const key = keys[i];
      if (key < pivot) swap(less++, i++);
      else if (key > pivot) swap(i, greater--);
      else i++;
    }
    todo.push([low, less, depth], [greater + 1, high, depth]);
    // The equal part: lines that end within these four bytes come first, shorter ones before longer ones.
    let open = less;
    for (let k = less; k <= greater; k++) {
      const length = starts[order[k] + 1] - 1 - starts[order[k]];
      if (length <= depth + 4) swap(open++, k);
    }
    if (open - less > 1) {
      byLength(order.subarray(less, open), depth);
    }
    if (greater + 1 - open > 1) {
      load(open, greater + 1, depth + 4);
      todo.push([open, greater + 1, depth + 4]);
    }
  }
  return order;
}

/** Stable order by a comparison of line numbers. */
export async function mergeOrder(
  count: number,
  compare: (a: number, b: number) => number,
  rest: Rest,
): Promise<Uint32Array> {
  let from = new Uint32Array(count);
  for (let i = 0; i < count; i++) from[i] = i;
  const RUN = 12;
  for (let low = 0; low < count; low += RUN) {
    if ((low & 0x3fff) < RUN) await rest();
    const high = Math.min(count, low + RUN);
    for (let i = low + 1; i < high; i++) {
      const line = from[i];
      let j = i - 1;
      while (j >= low && compare(from[j], line) > 0) {
        from[j + 1] = from[j];
        j--;
      }
      from[j + 1] = line;
    }
  }
  let to = new Uint32Array(count);
  for (let width = RUN; width < count; width *= 2) {
    for (let low = 0; low < count; low += 2 * width) {
      if (width >= 1024 || (low & 0x3fff) < 2 * width) await rest();
      const middle = Math.min(count, low + width), high = Math.min(count, low + 2 * width);
      if (middle >= high || compare(from[middle - 1], from[middle]) <= 0) {
        to.set(from.subarray(low, high), low);
        continue;
      }
      let i = low, j = middle;
      for (let k = low; k < high; k++) {
        if ((k & 0x3fff) === 0) await rest();
        to[k] = j >= high || (i < middle && compare(from[i], from[j]) <= 0) ? from[i++] : from[j++];
      }
    }
    [from, to] = [to, from];
  }
  return from;
}
