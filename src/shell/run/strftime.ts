/** `%(format)T` and the dates of prompts: in a time zone by its name, by strftime's conversions. */
import { formatDate } from "../../lib/dates/format.ts";
import { namedZone } from "../../lib/dates/zone.ts";

/** `zone`: as in TZ; undefined: the system's. */
export function strftime(format: string, seconds: number, zone: string | undefined): string {
  return formatDate(format, seconds * 1000, namedZone(zone));
}
