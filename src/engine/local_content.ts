/**
 * Content that was handed over with a prompt: kept with the session (by
 * content, like every attachment, so that forks, exports and the taking away
 * of what is unused treat it as theirs), named to the model as
 * `local://NAME`, and read back by that name. A name means one content in
 * the whole session, whatever path of it is gone.
 */
import { isKnown, type PromptPart, type Session } from "../session/mod.ts";

type Content = Extract<PromptPart, { type: "content" }>;

/** How the reader of outputs is asked for content: apart from the numbers of outputs. */
const LOCAL = "local/";

/** Beginnings of base64 of pictures, which the model gets to see as well. */
const PICTURES: readonly (readonly [start: string, mediaType: string])[] = [
  ["iVBORw0KGgo", "image/png"],
  ["/9j/", "image/jpeg"],
  ["R0lGOD", "image/gif"],
  ["UklGR", "image/webp"],
];
const MAX_NAME = 100;

/** The parts with names that nothing else in the session has; what was handed over before under its name keeps it. */
export function nameContents(parts: readonly PromptPart[], session: Session): readonly PromptPart[] {
  if (!parts.some(({ type }) => type === "content")) return parts;
  const known = contentsOf(session);
  return parts.map((part) => {
    if (part.type !== "content") return part;
    const plain = plainName(part.name);
    let name = plain;
    for (let n = 2; known.has(name) && known.get(name)!.data !== part.data; n++) name = numbered(plain, n);
    const mediaType = part.mediaType ?? PICTURES.find(([start]) => part.data.startsWith(start))?.[1];
    const size = part.size ?? sizeOf(part.data);
    const named: Content = { ...part, name, size, ...(mediaType === undefined ? {} : { mediaType }) };
    known.set(name, named);
    return named;
  });
}

/** Reads outputs by their number, and contents by `local/NAME`. */
export function withContents<Store extends { read: ReadOutput }>(
  store: Store,
  session: Session,
  get: (hash: string) => string | undefined,
): Omit<Store, "read"> & {
  read(id: number | string, offset: number, length: number): ReturnType<ReadOutput>;
} {
  let last: { readonly name: string; readonly bytes: Uint8Array } | undefined;
  return {
    ...store,
    read(id, offset, length) {
      if (typeof id === "number") return store.read(id, offset, length);
      const name = id.startsWith(LOCAL) ? id.slice(LOCAL.length) : undefined;
      if (name === undefined) return Promise.resolve(undefined);
      if (last?.name !== name) {
        const data = contentsOf(session).get(name)?.data;
        const base64 = data === undefined ? undefined : resolved(data, get);
        const bytes = base64 === undefined ? undefined : decoded(base64);
        if (bytes === undefined) return Promise.resolve(undefined);
        last = { name, bytes };
      }
      // A copy: what is read is handed over to another thread.
      return Promise.resolve(last.bytes.slice(offset, offset + length));
    },
  };
}

/** Undefined for what is no base64. */
function decoded(base64: string): Uint8Array | undefined {
  try {
    return Uint8Array.fromBase64(base64);
  } catch {
    return undefined; // whoever handed it over did not keep to the form: there is nothing to be read
  }
}

/** Bytes of base64 text. */
function sizeOf(base64: string): number {
  const padding = base64.endsWith("==") ? 2 : base64.endsWith("=") ? 1 : 0;
  return Math.floor(base64.length * 3 / 4) - padding;
}

type ReadOutput = (id: number, offset: number, length: number) => Promise<Uint8Array | undefined>;

function resolved(data: string, get: (hash: string) => string | undefined): string | undefined {
  const hash = /^attachment:([0-9a-f]{64})$/.exec(data)?.[1];
  return hash === undefined ? data : get(hash);
}

function contentsOf(session: Session): Map<string, Content> {
  const found = new Map<string, Content>();
  for (const entry of session.entriesOf("submission", "queued")) {
    if (!isKnown(entry) || (entry.kind !== "submission" && entry.kind !== "queued")) continue;
    for (const part of entry.parts) if (part.type === "content") found.set(part.name, part);
  }
  return found;
}

/** A name that is one word of an address: no folders, no controls, no leading dot. */
function plainName(name: string): string {
  const base = name.split(/[/\\]/).at(-1) ?? "";
  // deno-lint-ignore no-control-regex -- they are what is taken out
  const plain = base.toWellFormed().replace(/[\s\x00-\x1f\x7f"'<>`|?*]+/g, "_").replace(/^[._]+/, "");
  return [...plain].slice(-MAX_NAME).join("") || "content";
}

/** `shot.png`, 2 -> `shot-2.png`. */
function numbered(name: string, n: number): string {
  const dot = name.lastIndexOf(".");
  return dot <= 0 ? `${name}-${n}` : `${name.slice(0, dot)}-${n}${name.slice(dot)}`;
}
