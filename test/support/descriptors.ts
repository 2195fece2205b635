/** What this process has open. Linux only: it reads `/proc`. */

/**
 * How many descriptors lead to a file, or below a folder, by their real path.
 * Test files share one process: a count of all descriptors would count what
 * others open meanwhile.
 */
export function descriptorsBelow(path: string): number {
  let count = 0;
  for (const { name } of Deno.readDirSync("/proc/self/fd")) {
    try {
      const leadsTo = Deno.readLinkSync(`/proc/self/fd/${name}`);
      if (leadsTo === path || leadsTo.startsWith(`${path}/`)) count++;
    } catch {
      // The listing's own descriptor, or one that somebody has just closed.
    }
  }
  return count;
}
