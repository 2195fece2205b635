/** The version of this program: the one in deno.json, which a release takes from its tag. */
import project from "../../deno.json" with { type: "json" };

export const VERSION: string = project.version;
