/** Compares texts with files under test/golden. UPDATE_GOLDEN=1 writes them anew: the difference is then to be reviewed. */
import { assertEquals } from "@std/assert";

const ROOT = new URL("../golden/", import.meta.url);

/** Fails where `text` is not what the file holds. */
export async function assertGolden(name: string, text: string): Promise<void> {
  const file = new URL(name, ROOT);
  if (Deno.env.get("UPDATE_GOLDEN")) {
    await Deno.mkdir(new URL(".", file), { recursive: true });
    await Deno.writeTextFile(file, text);
    return;
  }
  const wanted = await Deno.readTextFile(file).catch((error) => {
    if (error instanceof Deno.errors.NotFound) {
      throw new Error(`There is no test/golden/${name}: UPDATE_GOLDEN=1 makes it`);
    }
    throw error;
  });
  assertEquals(text, wanted, `test/golden/${name}`);
}

/** What the file holds. */
export const readGolden = (name: string): Promise<string> => Deno.readTextFile(new URL(name, ROOT));
