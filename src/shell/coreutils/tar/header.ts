/** The 512-byte headers of tar: ustar with GNU's long names and pax records. */
import { decodeBytes, encodeBytes } from "../../../lib/text/bytes.ts";

export const BLOCK = 512;

export interface Member {
  name: string;
  /** "0" file, "1" hard link, "2" symbolic link, "5" folder, others as they are. */
  type: string;
  mode: number;
  uid: number;
  gid: number;
  size: number;
  /** Seconds. */
  mtime: number;
  link: string;
  user: string;
  group: string;
}

export class BadHeader extends Error {}

/** Headers of a member, with one for its long name or link in front where needed. */
export function writeHeader(member: Member): Uint8Array {
  const parts: Uint8Array[] = [];
  const long = (type: string, text: string) => {
    const bytes = encodeBytes(text + "\0");
    parts.push(
      block({
        ...member,
        name: "././@LongLink",
        type,
        size: bytes.length,
        link: "",
        mode: 0,
        uid: 0,
        gid: 0,
        mtime: 0,
        user: "root",
        group: "root",
      }),
    );
    const padded = new Uint8Array(Math.ceil(bytes.length / BLOCK) * BLOCK);
    padded.set(bytes);
    parts.push(padded);
  };
  if (encodeBytes(member.link).length > 100) long("K", member.link);
  if (encodeBytes(member.name).length > 100) long("L", member.name);
  parts.push(block(member));
  const out = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}

function block(member: Member): Uint8Array {
  const out = new Uint8Array(BLOCK);
  const text = (value: string, at: number, size: number) => out.set(encodeBytes(value).subarray(0, size), at);
  const octal = (value: number, at: number, size: number) => {
    const digits = value.toString(8);
    if (digits.length < size) text(digits.padStart(size - 1, "0"), at, size);
    else {
      // Larger than the field: in base 256.
      out[at] = 0x80;
      let rest = BigInt(value);
      for (let i = size - 1; i > 0; i--) {
        out[at + i] = Number(rest & 255n);
        rest >>= 8n;
      }
    }
  };
  text(member.name, 0, 100);
  octal(member.mode, 100, 8);
  octal(member.uid, 108, 8);
  octal(member.gid, 116, 8);
  octal(member.size, 124, 12);
  octal(Math.max(0, Math.floor(member.mtime)), 136, 12);
  text(member.type, 156, 1);
  text(member.link, 157, 100);
  text("ustar  ", 257, 8);
  text(member.user, 265, 32);
  text(member.group, 297, 32);
  text("        ", 148, 8);
  const sum = out.reduce((total, byte) => total + byte, 0);
  text(sum.toString(8).padStart(6, "0") + "\0 ", 148, 8);
  return out;
}

/** Reads a header; undefined for a block of zeros. */
export function readHeader(bytes: Uint8Array): Member | undefined {
  if (bytes.every((byte) => byte === 0)) return undefined;
  const text = (at: number, size: number) => {
    const part = bytes.subarray(at, at + size);
    const end = part.indexOf(0);
    return decodeBytes(end < 0 ? part : part.subarray(0, end));
  };
  const number = (at: number, size: number) => {
    if (bytes[at] & 0x80) {
      let value = 0;
      for (let i = 1; i < size; i++) value = value * 256 + bytes[at + i];
      return value;
    }
    return parseInt(text(at, size).trim() || "0", 8);
  };
  let sum = 0;
  for (let i = 0; i < BLOCK; i++) sum += i >= 148 && i < 156 ? 32 : bytes[i];
  if (sum !== number(148, 8)) throw new BadHeader("not a tar header");
  const ustar = text(257, 5) === "ustar";
  const prefix = ustar && bytes[263] === 0x30 ? text(345, 155) : "";
  const type = String.fromCharCode(bytes[156] || 0x30);
  return {
    name: (prefix === "" ? "" : prefix + "/") + text(0, 100),
    type: type === "7" ? "0" : type,
    mode: number(100, 8) & 0o7777,
    uid: number(108, 8),
    gid: number(116, 8),
    size: number(124, 12),
    mtime: number(136, 12),
    link: text(157, 100),
    user: ustar ? text(265, 32) : "",
    group: ustar ? text(297, 32) : "",
  };
}

/** Applies a pax extended header to the member that follows it. */
export function applyPax(member: Member, records: ReadonlyMap<string, string>): void {
  const set = <K extends keyof Member>(key: string, field: K, read: (text: string) => Member[K]) => {
    const value = records.get(key);
    if (value !== undefined) member[field] = read(value);
  };
  set("path", "name", String);
  set("linkpath", "link", String);
  set("size", "size", Number);
  set("mtime", "mtime", Number);
  set("uid", "uid", Number);
  set("gid", "gid", Number);
  set("uname", "user", String);
  set("gname", "group", String);
}

export function readPax(bytes: Uint8Array): Map<string, string> {
  const out = new Map<string, string>();
  for (let at = 0; at < bytes.length;) {
    const space = bytes.indexOf(32, at);
    const length = space < 0 ? NaN : Number(decodeBytes(bytes.subarray(at, space)));
    if (!(length > 0)) break;
    const record = decodeBytes(bytes.subarray(space + 1, at + length - 1));
    const equals = record.indexOf("=");
    if (equals > 0) out.set(record.slice(0, equals), record.slice(equals + 1));
    at += length;
  }
  return out;
}
