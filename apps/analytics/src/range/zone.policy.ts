/**
 * The platform's own name of a zone, of which it has some 450. luxon keeps a zone and a formatter, 35 kB, of each name that it
 * is given, and the case of a name may be written in thousands of ways.
 *
 * @param name of the IANA database, links included, in any case
 * @returns null where the platform does not know it, as this release may not know one that the gateway's does
 */
export function zoneOf(name: string): string | null {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone;
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}
