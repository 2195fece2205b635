/** Where the sheath's worker begins. The build puts the bundled place here: scripts/build.ts. */

export const WORKER_URL = new URL("../sheath/main.ts", import.meta.url);
