/**
 * Which addresses a fetch may connect to: those of the public internet. What
 * is private, of this machine or of this link (a router's pages, a cloud's
 * metadata, a service that listens for its owner alone) is not for a model.
 */

/** What kind of address it is that must not be reached; undefined for a public one. `address` is an IP, v4 or v6. */
export function notPublic(address: string): string | undefined {
  const four = parseFour(address);
  if (four !== undefined) return four4(four);
  const groups = parseSix(address);
  return groups === undefined ? "no address" : six(groups);
}

/** Whether a host, as it stands in a URL, is an address and not a name. */
export function isAddress(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, "");
  return parseFour(bare) !== undefined || parseSix(bare) !== undefined;
}

function parseFour(text: string): number[] | undefined {
  const match = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(text);
  if (match === null) return undefined;
  const parts = match.slice(1).map(Number);
  return parts.every((part) => part <= 255) ? parts : undefined;
}

function four4([a, b, c]: readonly number[]): string | undefined {
  if (a === 127) return "an address of this machine";
  if (a === 10 || (a === 172 && b >= 16 && b <= 31) || (a === 192 && b === 168)) return "a private address";
  if (a === 169 && b === 254) return "a link-local address";
  if (a === 100 && b >= 64 && b <= 127) return "a shared address";
  if (a === 192 && b === 0 && c === 0) return "a reserved address";
  if (a === 198 && (b === 18 || b === 19)) return "a reserved address";
  if (a === 0) return "an address of this network";
  if (a >= 224) return a < 240 ? "a multicast address" : "a reserved address";
  return undefined;
}

/** Eight groups of 16 bits; undefined for what is no IPv6 address. */
function parseSix(text: string): number[] | undefined {
  const bare = text.replace(/%.*$/, "");
  if (!bare.includes(":") || !/^[0-9a-f:.]+$/i.test(bare)) return undefined;
  let body = bare;
  const dotted = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(bare);
  if (dotted !== null) {
    const four = parseFour(dotted[2]);
    if (four === undefined) return undefined;
    body = `${dotted[1]}${(four[0] << 8 | four[1]).toString(16)}:${(four[2] << 8 | four[3]).toString(16)}`;
  }
  const halves = body.split("::");
  if (halves.length > 2) return undefined;
  const read = (half: string) => half === "" ? [] : half.split(":").map((group) => parseInt(group, 16));
  const [head, tail] = [read(halves[0]), halves.length === 2 ? read(halves[1]) : []];
  const missing = 8 - head.length - tail.length;
  if (halves.length === 2 ? missing < 1 : missing !== 0) return undefined;
  const groups = [...head, ...Array<number>(Math.max(0, missing)).fill(0), ...tail];
  return groups.every((group) => group >= 0 && group <= 0xffff) ? groups : undefined;
}

function six(groups: readonly number[]): string | undefined {
  const embedded = (at: number) => four4([groups[at] >> 8, groups[at] & 0xff, groups[at + 1] >> 8]);
  const zero = (to: number) => groups.slice(0, to).every((group) => group === 0);
  if (zero(7) && groups[7] <= 1) return groups[7] === 1 ? "an address of this machine" : "no address";
  // v4 inside of v6: mapped, compatible, translated (NAT64), 6to4.
  if (zero(5) && groups[5] === 0xffff) return embedded(6);
  if (zero(6)) return embedded(6);
  if (groups[0] === 0x64 && groups[1] === 0xff9b) return groups[2] === 0 ? embedded(6) : "a reserved address";
  if (groups[0] === 0x2002) return embedded(1);
  if (groups[0] === 0x2001 && groups[1] === 0) return "a reserved address";
  if ((groups[0] & 0xfe00) === 0xfc00) return "a private address";
  if ((groups[0] & 0xffc0) === 0xfe80) return "a link-local address";
  if ((groups[0] & 0xffc0) === 0xfec0) return "a private address";
  if ((groups[0] & 0xff00) === 0xff00) return "a multicast address";
  // What is given out to the public begins with 001.
  return (groups[0] & 0xe000) === 0x2000 ? undefined : "a reserved address";
}
