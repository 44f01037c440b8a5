/** The first Brazilian area code whose mobile accounts are still known without the ninth digit. */
const BRAZIL_SHORT_FORM_FROM = 31;

/**
 * The id under which the provider knows a number: its digits, which are not always those that were asked for.
 * Mexico: `52 1 …` (13 digits) becomes `52 …`. Brazil: mobiles of area codes from 31 on lose the ninth digit, those
 * below keep it.
 * Source: the provider's page "Phone numbers", on Brazilian and Mexican numbers.
 */
export function waIdOf(to: string): string {
  const digits = to.replaceAll(/\D/g, '');
  if (digits.length === 13 && digits.startsWith('521')) return `52${digits.slice(3)}`;
  if (digits.length === 13 && digits.startsWith('55') && digits[4] === '9') {
    const areaCode = Number(digits.slice(2, 4));
    return areaCode < BRAZIL_SHORT_FORM_FROM ? digits : digits.slice(0, 4) + digits.slice(5);
  }
  return digits;
}
