/*
 * Three countries changed how a mobile number is written, and both ways are still in address books and in what the
 * upstream answers with. These rules come before the library's: it refuses some of the old forms.
 */

/** Ten digits; since August 2019 dialled without the mobile `1` that used to stand before them. */
const mexican = /^\+52(1?)([2-9]\d{9})$/;
/** Area code and subscriber, ten digits; abroad a mobile carries a `9`, which many leave out. */
const argentine = /^\+54(9?)((?:11|[23]\d)\d{8})$/;
/**
 * Area code, then the ninth digit (since 2016 everywhere) and the eight digits behind it, which are no fixed line: from 6 up
 * they were once the whole mobile, with 0 and 1 they only follow the ninth digit, and the upstream still leaves that out.
 */
const brazilian = /^\+55([1-9]{2})(9?)([016-9]\d{7})$/;

/**
 * All E.164 forms of one subscriber, the canonical one (today's international way of dialling) first.
 *
 * Fixed lines in Brazil have eight digits from 2 to 5 and never a second form, and so has a mobile with these digits behind
 * its ninth: without it, it would be the fixed line. In Argentina a fixed line and a mobile
 * look alike without the `9`, so every geographic number lists both: two subscribers never share the ten digits.
 *
 * @param phone E.164 with the plus, in any of the forms.
 * Sources: IFT, plan técnico de numeración (Mexico, 2019); ENACOM, plan fundamental de numeración (Argentina); Anatel,
 * resolution 553 (Brazil).
 */
export function subscriberForms(phone: string): readonly string[] {
  const mexico = mexican.exec(phone);
  if (mexico) return [`+52${mexico[2]}`, `+521${mexico[2]}`];
  const argentina = argentine.exec(phone);
  if (argentina) return [`+549${argentina[2]}`, `+54${argentina[2]}`];
  const brazil = brazilian.exec(phone);
  if (brazil) return [`+55${brazil[1]}9${brazil[3]}`, `+55${brazil[1]}${brazil[3]}`];
  return [phone];
}

/**
 * The E.164 digits of international forms that the library does not read; all others come back as they are.
 *
 * Mexico: the old trunk prefixes `01`, `044`, `045` after the country code. Argentina: the `9` of international and the
 * `15` of national dialling together; the library reads either alone.
 *
 * @param digits country code first, no plus.
 */
export function repairInternational(digits: string): string {
  const mexico = /^52(?:01|044|045)(1?[2-9]\d{9})$/.exec(digits);
  if (mexico) return `52${mexico[1]}`;
  if (/^549(?:11|[23]\d)\d{10}$/.test(digits)) return `54${digits.slice(3)}`;
  return digits;
}

/**
 * International digits for national forms that the library does not read.
 *
 * Mexico: the old trunk prefixes, the mobile `1`. Mexico and Brazil: the country code without a plus before a form that
 * the library holds for invalid, and therefore would not recognise.
 *
 * @returns null when the library shall read the digits as they are.
 */
export function repairNational(digits: string, region: string): string | null {
  if (region === 'MX') {
    const mexico = /^(?:52)?(?:01|044|045)?(1?[2-9]\d{9})$/.exec(digits);
    return mexico ? `52${mexico[1]}` : null;
  }
  return region === 'BR' && /^55[1-9]{2}9?[016-9]\d{7}$/.test(digits) ? digits : null;
}
