/** The version of this program: the one in deno.json, which a release takes from its tag. */
import project from "../../deno.json" with { type: "json" };

/** As in SemVer, without a leading v. */
export const VERSION: string = project.version;
