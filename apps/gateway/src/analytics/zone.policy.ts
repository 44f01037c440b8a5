/** Names of one word: links of the IANA database's `backward`, and zones of `etcetera`. */
const ALONE =
  'CET CST6CDT Cuba EET EST EST5EDT Egypt Eire GB GB-Eire GMT GMT+0 GMT-0 GMT0 Greenwich HST Hongkong Iceland Iran Israel ' +
  'Jamaica Japan Kwajalein Libya MET MST MST7MDT NZ NZ-CHAT Navajo PRC PST8PDT Poland Portugal ROC ROK Singapore Turkey ' +
  'UCT UTC Universal W-SU WET Zulu';
/** What the other names begin with. */
const AREAS =
  'Africa America Antarctica Arctic Asia Atlantic Australia Brazil Canada Chile Etc Europe Indian Mexico Pacific US';

const either = (words: string): string => words.split(' ').join('|').replaceAll('+', '\\+');

/**
 * The form of a name of the IANA time zone database. Words are listed: the platform takes others, too, that mean one place of
 * several (`BST` is Dhaka's).
 */
export const ZONE_FORM = `^(${either(ALONE)}|(${either(AREAS)})(/[A-Z][A-Za-z0-9_+-]*){1,2})$`;

const form = new RegExp(ZONE_FORM);

/** Whether it is a name of the database, links to other names included. Offsets are no zones: they know no daylight saving. */
export function isZone(value: unknown): boolean {
  if (typeof value !== 'string' || !form.test(value)) return false;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: value }).resolvedOptions().timeZone !== '';
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}
