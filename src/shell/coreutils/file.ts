/** file: what kind of contents a file has, for the kinds that are met daily. */
import type { UtilityContext } from "../builtin.ts";
import { parseOptions, UsageError } from "./shared/options.ts";
import { reason } from "./shared/report.ts";

const TABLE = {
  options: [
    "b|brief",
    "i|mime",
    "mime-type",
    "mime-encoding",
    "L|dereference",
    "h|no-dereference",
    "F|separator=",
    "N|no-pad",
    "0|print0",
  ],
  unsupported: [
    "C|compile",
    "c|checking-printout",
    "d",
    "e|exclude=",
    "f|files-from=",
    "k|keep-going",
    "l|list",
    "m|magic-file=",
    "n|no-buffer",
    "p|preserve-date",
    "P|parameter=",
    "r|raw",
    "s|special-files",
    "S|no-sandbox",
    "z|uncompress",
    "Z|uncompress-noreport",
    "apple",
    "extension",
  ],
  usage: "[OPTION...] [FILE...]",
};

interface Kind {
  readonly text: string;
  readonly mime: string;
  readonly encoding: string;
}

export async function run(context: UtilityContext): Promise<number> {
  const options = parseOptions(context, TABLE);
  if (options.operands.length === 0) throw new UsageError(`Usage: ${context.name} ${TABLE.usage}`, 1, false);
  const width = Math.max(...options.operands.map((name) => name.length));
  for (const name of options.operands) {
    let kind: Kind;
    try {
      kind = await kindOf(context, name, options.has("L"));
    } catch (error) {
      kind = {
        text: `cannot open \`${name}' (${reason(error)})`,
        mime: `cannot open \`${name}' (${reason(error)})`,
        encoding: "binary",
      };
    }
    const text = options.has("i") && !kind.mime.startsWith("cannot")
      ? `${kind.mime}; charset=${kind.encoding}`
      : options.has("mime-type")
      ? kind.mime
      : options.has("mime-encoding")
      ? kind.encoding
      : kind.text;
    const lead = options.has("b") ? "" : name + (options.has("0") ? "\0" : "") + (options.value("F") ?? ":") +
      (options.has("N") ? " " : " ".repeat(width - name.length + 1));
    await context.stdout.print(lead + text + "\n");
  }
  return 0;
}

async function kindOf(context: UtilityContext, name: string, follow: boolean): Promise<Kind> {
  const special = (text: string, mime: string): Kind => ({ text, mime, encoding: "binary" });
  if (name !== "-") {
    const path = context.path(name);
    const stat = follow ? context.fs.stat(path) : context.fs.lstat(path);
    switch (stat.kind) {
      case "dir":
        return special("directory", "inode/directory");
      case "symlink": {
        const target = context.fs.readLink(path);
        try {
          context.fs.stat(path);
          return special(`symbolic link to ${target}`, "inode/symlink");
        } catch (error) {
          reason(error);
          return special(`broken symbolic link to ${target}`, "inode/symlink");
        }
      }
      case "fifo":
        return special("fifo (named pipe)", "inode/fifo");
      case "socket":
        return special("socket", "inode/socket");
      case "char":
        return special("character special", "inode/chardevice");
      case "block":
        return special("block special", "inode/blockdevice");
    }
    if (stat.size === 0) return special("empty", "inode/x-empty");
  }
  const source = name === "-" ? context.stdin : await context.open(name);
  const buffer = new Uint8Array(65_536);
  let end = 0;
  try {
    while (end < buffer.length) {
      const got = await source.read(buffer.subarray(end));
      if (got === 0) break;
      end += got;
    }
  } finally {
    if (source !== context.stdin) source.close();
  }
  return end === 0 ? special("empty", "inode/x-empty") : contents(buffer.subarray(0, end));
}

const MAGIC: readonly [offset: number, bytes: string, text: string, mime: string][] = [
  [0, "\x7fELF", "ELF", "application/x-executable"],
  [0, "\x89PNG\r\n\x1a\n", "PNG image data", "image/png"],
  [0, "\xff\xd8\xff", "JPEG image data", "image/jpeg"],
  [0, "GIF87a", "GIF image data, version 87a", "image/gif"],
  [0, "GIF89a", "GIF image data, version 89a", "image/gif"],
  [8, "WEBP", "RIFF (little-endian) data, Web/P image", "image/webp"],
  [0, "%PDF-", "PDF document", "application/pdf"],
  [0, "PK\x03\x04", "Zip archive data", "application/zip"],
  [0, "\x1f\x8b", "gzip compressed data", "application/gzip"],
  [0, "BZh", "bzip2 compressed data", "application/x-bzip2"],
  [0, "\xfd7zXZ\0", "XZ compressed data", "application/x-xz"],
  [0, "(\xb5/\xfd", "Zstandard compressed data (v0.8+)", "application/zstd"],
  [257, "ustar", "POSIX tar archive", "application/x-tar"],
  [0, "SQLite format 3\0", "SQLite 3.x database", "application/vnd.sqlite3"],
  [0, "\0asm", "WebAssembly (wasm) binary module", "application/wasm"],
  [0, "MZ", "MS-DOS executable", "application/x-dosexec"],
  [0, "\xca\xfe\xba\xbe", "compiled Java class data", "application/x-java-applet"],
  [0, "\xcf\xfa\xed\xfe", "Mach-O 64-bit executable", "application/x-mach-binary"],
  [0, "OggS", "Ogg data", "audio/ogg"],
  [0, "ID3", "Audio file with ID3", "audio/mpeg"],
  [0, "fLaC", "FLAC audio bitstream data", "audio/flac"],
];

function contents(bytes: Uint8Array): Kind {
  for (const [offset, magic, text, mime] of MAGIC) {
    if (![...magic].every((c, i) => bytes[offset + i] === c.charCodeAt(0))) continue;
    if (text === "ELF") return elf(bytes);
    if (text === "PDF document") {
      return {
        text: `PDF document, version ${String.fromCharCode(...bytes.subarray(5, 8))}`,
        mime,
        encoding: "binary",
      };
    }
    if (text === "POSIX tar archive") {
      return { text: bytes[262] === 0x20 ? "POSIX tar archive (GNU)" : text, mime, encoding: "binary" };
    }
    return { text, mime, encoding: "binary" };
  }
  return textKind(bytes);
}

function elf(bytes: Uint8Array): Kind {
  const bits = bytes[4] === 2 ? "64-bit" : "32-bit";
  const order = bytes[5] === 2 ? "MSB" : "LSB";
  const type = {
    1: "relocatable",
    2: "executable",
    3: "shared object",
    4: "core file",
  }[bytes[order === "LSB" ? 16 : 17]] ?? "object";
  const machine = {
    3: "Intel 80386",
    40: "ARM",
    62: "x86-64",
    183: "ARM aarch64",
    243: "UCB RISC-V",
  }[bytes[order === "LSB" ? 18 : 19]] ?? "unknown machine";
  return {
    text: `ELF ${bits} ${order} ${type}, ${machine}, version 1 (SYSV)`,
    mime: type === "shared object" ? "application/x-sharedlib" : "application/x-executable",
    encoding: "binary",
  };
}

function textKind(bytes: Uint8Array): Kind {
  const bom = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  if ((bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff)) {
    return {
      text: `Unicode text, UTF-16, ${bytes[0] === 0xff ? "little" : "big"}-endian text`,
      mime: "text/plain",
      encoding: bytes[0] === 0xff ? "utf-16le" : "utf-16be",
    };
  }
  const control = bytes.some((byte) =>
    byte < 7 || byte === 11 || (byte > 13 && byte < 27) || (byte > 27 && byte < 32) || byte === 127
  );
  if (control) return { text: "data", mime: "application/octet-stream", encoding: "binary" };
  const ascii = !bytes.some((byte) => byte > 127);
  // A character that the end of the sample cut through does not count.
  const utf8 = ascii || isUtf8(bytes);
  const charset = ascii
    ? "ASCII"
    : utf8
    ? `Unicode text, UTF-8${bom ? " (with BOM)" : ""}`
    : bytes.some((byte) => byte >= 128 && byte < 160)
    ? "Non-ISO extended-ASCII"
    : "ISO-8859";
  const encoding = ascii
    ? "us-ascii"
    : utf8
    ? "utf-8"
    : charset === "ISO-8859"
    ? "iso-8859-1"
    : "unknown-8bit";
  const text = new TextDecoder().decode(bytes);
  const language = languageOf(text);
  const crlf = (text.match(/\r\n/g) ?? []).length, lf = (text.match(/\n/g) ?? []).length;
  const longest = text.split("\n").reduce((most, line) => Math.max(most, line.length), 0);
  const tail = (longest > 300 ? `, with very long lines (${longest})` : "") +
    (lf === 0
      ? ", with no line terminators"
      : crlf === lf
      ? ", with CRLF line terminators"
      : crlf > 0
      ? ", with CRLF, LF line terminators"
      : "");
  if (language?.text === "JSON text data") {
    return { text: "JSON text data", mime: "application/json", encoding };
  }
  const shown = language
    ? `${language.text}, ${charset} text${language.text.includes("script") ? " executable" : ""}`
    : `${charset} text`;
  return { text: shown + tail, mime: language?.mime ?? "text/plain", encoding };
}

function isUtf8(bytes: Uint8Array): boolean {
  for (let cut = 0; cut < 4; cut++) {
    try {
      new TextDecoder("utf-8", { fatal: true }).decode(
        bytes.subarray(0, bytes.length - (bytes.length < 65_536 ? 0 : cut)),
      );
      return true;
    } catch {
      if (bytes.length < 65_536) return false;
    }
  }
  return false;
}

function languageOf(text: string): { text: string; mime: string } | undefined {
  const line = /^#!\s*(\S+)(?:\s+(\S+))?/.exec(text);
  if (line) {
    const program = (line[1].endsWith("/env") ? line[2] ?? "" : line[1]).split("/").pop()!;
    if (program === "sh" || program === "dash") {
      return { text: "POSIX shell script", mime: "text/x-shellscript" };
    }
    if (program === "bash") return { text: "Bourne-Again shell script", mime: "text/x-shellscript" };
    if (/^python/.test(program)) return { text: "Python script", mime: "text/x-script.python" };
    if (program === "perl") return { text: "Perl script text executable", mime: "text/x-perl" };
    if (program === "node") return { text: "Node.js script", mime: "application/javascript" };
    return { text: `a ${line[1]}${line[2] ? " " + line[2] : ""} script`, mime: "text/plain" };
  }
  const start = text.trimStart();
  if (/^[{[]/.test(start)) {
    try {
      JSON.parse(text);
      return { text: "JSON text data", mime: "application/json" };
    } catch {
      // Only looks like it.
    }
  }
  if (/^<\?xml /.test(start)) return { text: "XML 1.0 document", mime: "text/xml" };
  if (/^(<!doctype html|<html)/i.test(start)) return { text: "HTML document", mime: "text/html" };
  if (/^\s*#include\s*[<"]/m.test(text)) return { text: "C source", mime: "text/x-c" };
  if (/^diff --git |^--- .*\n\+\+\+ /m.test(text)) {
    return { text: "unified diff output", mime: "text/x-diff" };
  }
  return undefined;
}
