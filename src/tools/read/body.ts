/**
 * `read`: the work. A file that fits into memory is read whole, which tells
 * its encoding, its number of lines and its hash; a larger one is scanned in
 * pieces until what was asked for is there.
 */
import { concatBytes } from "../../lib/bytes.ts";
import { errorResult, textResult, type ToolBody, type ToolResult } from "../../agent/tool.ts";
import {
  IMAGE_BOUNDS,
  type ImageFacts,
  imageFacts,
  imageType,
  isSentAsIs,
  MAX_PIXELS,
} from "../../lib/images/image_facts.ts";
import { resolvePath, shortPath } from "../../lib/files/paths.ts";
import { encodeBytes } from "../../lib/text/bytes.ts";
import { visible } from "../../lib/text/visible.ts";
import type { ImagePart } from "../../llm/message.ts";
import type { HostFile } from "../../sandbox/mod.ts";
import { readArgs } from "../shared/arguments.ts";
import { failure } from "../shared/failure.ts";
import { chunks, fill, hashOf, openFile, readAll } from "../shared/file_bytes.ts";
import { listFolder } from "../shared/list_folder.ts";
import { stampOf } from "../shared/read_stamps.ts";
import { decodeText, detectEncoding, type Encoding } from "../shared/text_codec.ts";
import type { SheathDeps } from "../tool.ts";
import plain from "./args.json" with { type: "json" };
import { LineScan, type Wanted } from "./lines.ts";
import { grouped } from "../../lib/text/count.ts";

/** What is read is stamped into `ledger`, so that a change by others is seen before an edit. */
type ReadDeps = Pick<
  SheathDeps,
  "fs" | "workspace" | "cwd" | "home" | "poll" | "artifacts" | "docs" | "ledger" | "limits"
>;

const DEFAULT_LINES = 2000;
/** Files up to this size are read whole. */
const WHOLE = 32 << 20;

/** Text with line numbers, folders as lists, pictures as pictures, PDFs as their text. */
export function create(deps: ReadDeps): ToolBody {
  return {
    async run(given) {
      const args = await readArgs(plain.args, () => import("./args.ts").then(({ args }) => args), given);
      if (!args.ok) return errorResult(args.error);
      const wanted: Wanted = {
        // Some count from 0: the first line is meant.
        offset: Math.max(1, args.value.offset ?? 1),
        limit: args.value.limit ?? DEFAULT_LINES,
        column: args.value.column ?? 1,
        maxBytes: deps.limits.outputBytes,
      };
      const artifact = /^artifact:\/\/(.+)$/.exec(args.value.path);
      if (artifact) return await readArtifact(deps, artifact[1], wanted);
      const local = /^local:\/\/(.+)$/.exec(args.value.path);
      if (local) return await readLocal(deps, local[1], wanted);
      const doc = /^docs:\/\/(.*)$/.exec(args.value.path);
      if (doc) return await readDoc(deps, doc[1], wanted);
      const path = resolvePath(args.value.path, deps.cwd(), deps.home);
      try {
        return await readPath(deps, path, wanted);
      } catch (error) {
        return failure(deps, "read", path, error);
      }
    },
  };
}

async function readPath(deps: ReadDeps, path: string, wanted: Wanted): Promise<ToolResult> {
  const { kind } = deps.fs.stat(path);
  if (kind === "dir") {
    const list = listFolder(deps.fs, path, DEFAULT_LINES, wanted.maxBytes);
    return textResult(list.text, {
      view: { type: "files", title: shortPath(path, deps.cwd()), paths: list.names },
    });
  }
  const file = await openFile(deps.fs, path, kind);
  try {
    const stat = file.stat();
    const bytes = await readAll(file, WHOLE, stat.size);
    const name = visible(shortPath(path, deps.cwd()));
    if (bytes === undefined) {
      deps.ledger.set(deps.fs.realPath(path), stampOf(stat, undefined));
      return await scanLarge(deps, file, name, stat.size, wanted);
    }
    // Hashed elsewhere while the text is made here.
    const hash = hashOf(bytes);
    const result = await readBytes(deps, bytes, name, wanted);
    deps.ledger.set(deps.fs.realPath(path), stampOf(stat, await hash));
    return result;
  } finally {
    file.close();
  }
}

async function readBytes(
  deps: ReadDeps,
  bytes: Uint8Array<ArrayBuffer>,
  name: string,
  wanted: Wanted,
): Promise<ToolResult> {
  const image = imageFacts(bytes);
  if (image !== undefined) return await readImage(bytes, image, name);
  if (isPdf(bytes)) return await readPdf(deps, bytes, name, wanted);
  const encoding = detectEncoding(bytes);
  if (encoding === "binary") return textResult(`${name}: binary, ${size(bytes.length)}`);
  const scan = new LineScan(wanted);
  // Line feeds are bytes of their own in every encoding but UTF-16, which is turned into UTF-8 to be scanned.
  const wide = encoding.name.startsWith("UTF-16");
  scan.push(wide ? encodeBytes(decodeText(bytes, encoding)) : bytes.subarray(encoding.bom));
  return finish(scan, wide ? UTF8_BODY : encoding, encoding, true, wanted);
}

const UTF8_BODY: Encoding = { name: "UTF-8", bom: 0, damaged: false };

function finish(
  scan: LineScan,
  body: Encoding,
  shown: Encoding,
  complete: boolean,
  wanted: Wanted,
): ToolResult {
  const { text, lines } = scan.end(body, shown, complete);
  if (complete && wanted.offset > Math.max(1, lines)) {
    return errorResult(
      `offset ${wanted.offset} is past the end: there are ${grouped(lines)} lines`,
    );
  }
  return textResult(text);
}

async function scanLarge(
  deps: ReadDeps,
  file: HostFile,
  name: string,
  total: number,
  wanted: Wanted,
): Promise<ToolResult> {
  file.seek(0, "start");
  const head = new Uint8Array(64 * 1024);
  const sample = head.subarray(0, await fill(file, head));
  const encoding = imageType(sample) === undefined ? detectEncoding(sample, true) : "binary";
  if (encoding === "binary") return textResult(`${name}: binary, ${size(total)}`);
  if (encoding.name.startsWith("UTF-16")) {
    return errorResult(
      `${name}: ${encoding.name}, ${size(total)}: too big to be read in this encoding; use iconv in bash`,
    );
  }
  const scan = new LineScan(wanted);
  scan.push(sample.subarray(encoding.bom));
  let complete = true;
  for await (const piece of chunks(file, deps.poll)) {
    if (scan.full) {
      complete = false;
      break;
    }
    scan.push(piece);
  }
  return finish(scan, encoding, encoding, complete, wanted);
}

async function readImage(
  bytes: Uint8Array,
  image: ImageFacts | "broken",
  name: string,
): Promise<ToolResult> {
  if (image === "broken") return textResult(`${name}: a broken picture, ${size(bytes.length)}`);
  const { mediaType, width, height } = image;
  const about = `${name}: ${mediaType}, ${width} × ${height}, ${size(bytes.length)}`;
  if (isSentAsIs(image, bytes.length)) {
    return { isError: false, parts: [{ type: "text", text: about }, imagePart(bytes, mediaType)] };
  }
  if (width * height > MAX_PIXELS) {
    return errorResult(
      `${about}: too big to show (at most ${grouped(MAX_PIXELS)} pixels); make a smaller copy`,
    );
  }
  const { scaleImage } = await import("../../lib/images/scale_image.ts");
  const scaled = scaleImage(bytes, mediaType, IMAGE_BOUNDS);
  if (scaled === undefined) return textResult(`${about}: it cannot be read as a picture`);
  const how = scaled.width === width
    ? `sent as ${scaled.mediaType}`
    : `scaled to ${scaled.width} × ${scaled.height}`;
  return {
    isError: false,
    parts: [{ type: "text", text: `${about}; ${how}` }, imagePart(scaled.bytes, scaled.mediaType)],
  };
}

function imagePart(bytes: Uint8Array, mediaType: string): ImagePart {
  return { type: "image", mediaType, data: bytes.toBase64() };
}

function isPdf(bytes: Uint8Array): boolean {
  return String.fromCharCode(...bytes.subarray(0, 5)) === "%PDF-";
}

async function readPdf(
  deps: ReadDeps,
  bytes: Uint8Array<ArrayBuffer>,
  name: string,
  wanted: Wanted,
): Promise<ToolResult> {
  const { pdfText } = await import("./pdf_text.ts");
  // The library keeps the buffer for itself; the hash is still being made of this one.
  const read = await pdfText(bytes.slice(), deps.poll);
  if (!read.ok) return errorResult(`${name}: PDF, ${size(bytes.length)}: ${read.problem}`);
  const pages = `${grouped(read.total)} page${read.total === 1 ? "" : "s"}`;
  if (read.pages.every((page) => page === "")) {
    return textResult(`${name}: PDF, ${pages}, ${size(bytes.length)}: no text in it (scanned, or drawn)`);
  }
  const scan = new LineScan(wanted);
  scan.push(encodeBytes(read.pages.map((page, i) => `--- page ${i + 1} ---\n${page}\n`).join("")));
  const more = read.pages.length < read.total
    ? `\n[only the first ${read.pages.length} pages were read]`
    : "";
  const result = finish(scan, UTF8_BODY, UTF8_BODY, true, wanted);
  const [first] = result.parts;
  if (first.type !== "text") return result;
  return { ...result, parts: [{ type: "text", text: `[PDF, ${pages}]\n${first.text}${more}` }] };
}

async function readDoc(deps: ReadDeps, name: string, wanted: Wanted): Promise<ToolResult> {
  const text = await deps.docs?.(name);
  if (text === undefined) return errorResult(`There is no docs://${visible(name)}`);
  const scan = new LineScan(wanted);
  scan.push(encodeBytes(text));
  return finish(scan, UTF8_BODY, UTF8_BODY, !scan.full, wanted);
}

async function readArtifact(deps: ReadDeps, id: string, wanted: Wanted): Promise<ToolResult> {
  const scan = new LineScan(wanted);
  let at = 0;
  while (!scan.full) {
    deps.poll();
    const piece = await deps.artifacts.read(id, at, 1 << 20);
    if (piece === undefined) return errorResult(`There is no artifact://${visible(id)}`);
    if (piece.length === 0) return finish(scan, UTF8_BODY, UTF8_BODY, true, wanted);
    scan.push(piece);
    at += piece.length;
  }
  return finish(scan, UTF8_BODY, UTF8_BODY, false, wanted);
}

/** What the user handed over with a message. */
async function readLocal(deps: ReadDeps, name: string, wanted: Wanted): Promise<ToolResult> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    deps.poll();
    const piece = await deps.artifacts.read(`local/${name}`, length, 1 << 20);
    if (piece === undefined) return errorResult(`There is no local://${visible(name)}`);
    if (piece.length === 0) break;
    pieces.push(piece);
    length += piece.length;
    if (length > WHOLE) return errorResult(`local://${visible(name)} is too big to be read`);
  }
  return await readBytes(deps, concatBytes(pieces, length), `local://${visible(name)}`, wanted);
}

function size(bytes: number): string {
  return `${grouped(bytes)} bytes`;
}
