/**
 * Removes a folder with all that programs have put there, closed folders too:
 * an ordinary user cannot empty one whose rights a program has taken away
 * (`chmod 0`), until they are given back. Whoever calls it has ended the
 * programs before; links are not followed.
 */

/** Throws what the system throws where something stays all the same; what is not there is removed. */
export function removeTree(path: string): void {
  try {
    Deno.removeSync(path, { recursive: true });
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return;
    if (!(error instanceof Deno.errors.PermissionDenied)) throw error;
    openUp(path);
    Deno.removeSync(path, { recursive: true });
  }
}

function openUp(path: string): void {
  const folders = [path];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    Deno.chmodSync(folder, 0o700);
    for (const { name, isDirectory } of Deno.readDirSync(folder)) {
      if (isDirectory) folders.push(`${folder}/${name}`);
    }
  }
}
