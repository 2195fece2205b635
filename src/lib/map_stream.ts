/**
 * Changes a stream on its way. Several layers look at each event of an answer
 * between the network and its readers; as async generators each of them costs
 * an event three promises, so this speaks the iterator's protocol by hand.
 */

/**
 * The items of a stream, each replaced by what `change` makes of it: another
 * item, or a list of any number. For one reader who asks for one item after
 * the other, as `for await` does; items must not be arrays.
 */
export function mapStream<T extends object>(
  source: AsyncIterable<T>,
  change: (item: T) => T | readonly T[],
): AsyncIterable<T> {
  return {
    [Symbol.asyncIterator](): AsyncIterator<T, undefined> {
      const items = source[Symbol.asyncIterator]();
      let waiting: T[] = [];
      const changed = (result: IteratorResult<T>): IteratorResult<T> | Promise<IteratorResult<T>> => {
        if (result.done) return END;
        const made = change(result.value);
        if (made === result.value) return result;
        if (!isList(made)) return { value: made, done: false };
        waiting = [...made];
        return next();
      };
      const next = (): Promise<IteratorResult<T>> => {
        const value = waiting.shift();
        return value === undefined ? items.next().then(changed) : Promise.resolve({ value, done: false });
      };
      return {
        next: next as AsyncIterator<T, undefined>["next"],
        async return() {
          await items.return?.();
          return END;
        },
      };
    },
  };
}

const END: { readonly value: undefined; readonly done: true } = { value: undefined, done: true };

function isList<T>(made: T | readonly T[]): made is readonly T[] {
  return Array.isArray(made);
}
