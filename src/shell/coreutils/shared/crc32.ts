/** The checksum of gzip (CRC-32, reflected) and that of cksum (the same polynomial, most significant bit first). */

function table(step: (value: number) => number, start: (i: number) => number): Uint32Array {
  return Uint32Array.from({ length: 256 }, (_, i) => {
    let value = start(i);
    for (let bit = 0; bit < 8; bit++) value = step(value);
    return value;
  });
}

let reflected: Uint32Array | undefined;
/** Goes on from `crc`, that of the bytes before. */
export function crc32(bytes: Uint8Array, crc = 0): number {
  const values = reflected ??= table((v) => (v & 1) === 1 ? (v >>> 1) ^ 0xedb88320 : v >>> 1, (i) => i);
  let value = ~crc;
  for (let i = 0; i < bytes.length; i++) value = values[(value ^ bytes[i]) & 255] ^ (value >>> 8);
  return ~value >>> 0;
}

let plain: Uint32Array | undefined;
/** As POSIX has it for cksum; the length of the data is for the caller to add at the end. */
export function cksum(bytes: Uint8Array, crc = 0): number {
  const values = plain ??= table(
    (v) => (v & 0x80000000) !== 0 ? (v << 1) ^ 0x04c11db7 : v << 1,
    (i) => i << 24,
  );
  let value = crc;
  for (let i = 0; i < bytes.length; i++) value = values[((value >>> 24) ^ bytes[i]) & 255] ^ (value << 8);
  return value >>> 0;
}
