/** `%(format)T` and the dates of prompts: C's strftime, without the conversions that only `date` has. */
import { formatDate } from "../coreutils/shared/date_format.ts";
import { namedZone } from "../coreutils/shared/zone.ts";

/** A time in seconds by a format, in the zone that the value of TZ names. */
export function strftime(format: string, seconds: number, zone: string | undefined): string {
  const plain = format.replace(
    /%%|%[-_0^#+]*\d*(?::+[EO]?z|[EO]?[Nq+])/g,
    (all) => all === "%%" ? all : "%" + all,
  );
  const text = formatDate(plain, seconds * 1000, namedZone(zone));
  // C's buffer is bounded; what does not fit is nothing.
  return text.length > 127 ? "" : text;
}
