/** Numbers for people: "12,345". The runtime's own way to do it loads its tables of languages first, for 25 ms. */

/** A whole number with commas between thousands. */
export function grouped(value: number): string {
  return String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** "1 line", "2 lines": the number with its word. */
export function counted(value: number, one: string, many = `${one}s`): string {
  return `${grouped(value)} ${Math.round(value) === 1 ? one : many}`;
}
