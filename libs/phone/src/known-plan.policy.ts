import { Metadata } from 'libphonenumber-js/max';

/** Of the library's numbering plans, what its typings leave out. */
interface PlanReader {
  readonly numberingPlan: {
    leadingDigits(): string | undefined;
    hasTypes(): boolean;
    nationalNumberPattern(): string;
    nationalPrefixForParsing(): string | undefined;
    type(name: string): { pattern(): string | undefined; possibleLengths(): readonly number[] | undefined } | undefined;
  };
  hasCallingCode(code: string): boolean;
  getCountryCodesForCallingCode(code: string): readonly string[] | undefined;
  selectNumberingPlan(country: string): unknown;
}

/** What the national digits of a calling code's main country look like. */
interface KnownPlan {
  readonly national: RegExp;
  /** A trunk prefix that the library might take off. */
  readonly prefix: RegExp | null;
  readonly types: readonly { readonly pattern: RegExp; readonly lengths: ReadonlySet<number> | null }[];
}

const TYPES = [
  'FIXED_LINE',
  'MOBILE',
  'TOLL_FREE',
  'PREMIUM_RATE',
  'PERSONAL_NUMBER',
  'VOICEMAIL',
  'UAN',
  'PAGER',
  'VOIP',
  'SHARED_COST',
];

/** By calling code; null for one without such a plan. At most a thousand codes have three digits. */
const plans = new Map<string, KnownPlan | null>();

/**
 * True when the plan of the calling code's main country says at once that a number is valid as it is written. The library
 * says the same of it, by expressions that it makes anew with every look, and four times for a number.
 *
 * @param digits international digits, country code first, no plus.
 * @returns false also for valid numbers: of a smaller country with the same code, or that may start with a trunk prefix.
 */
export function isKnownNumber(digits: string): boolean {
  for (let length = 1; length <= 3; length++) {
    const code = digits.slice(0, length);
    let plan = plans.get(code);
    if (plan === undefined) plans.set(code, (plan = readPlan(code)));
    if (plan !== null) return matches(plan, digits.slice(length));
  }
  return false;
}

function matches({ national, prefix, types }: KnownPlan, digits: string): boolean {
  if (!national.test(digits) || prefix?.test(digits) === true) return false;
  return types.some(({ pattern, lengths }) => lengths?.has(digits.length) !== false && pattern.test(digits));
}

function readPlan(code: string): KnownPlan | null {
  const metadata = new Metadata() as unknown as PlanReader;
  const [main] = (metadata.hasCallingCode(code) && metadata.getCountryCodesForCallingCode(code)) || [];
  if (main === undefined) return null;
  metadata.selectNumberingPlan(main);
  const plan = metadata.numberingPlan;
  const prefix = plan.nationalPrefixForParsing();
  const isMain = plan.hasTypes() && !plan.leadingDigits();
  return {
    national: whole(plan.nationalNumberPattern()),
    prefix: prefix ? new RegExp(`^(?:${prefix})`) : null,
    types: isMain ? TYPES.flatMap((name) => typeOf(plan, name)) : [],
  };
}

function typeOf(plan: PlanReader['numberingPlan'], name: string): KnownPlan['types'] {
  const type = plan.type(name);
  const pattern = type?.pattern();
  if (!type || !pattern) return [];
  const lengths = type.possibleLengths();
  return [{ pattern: whole(pattern), lengths: lengths ? new Set(lengths) : null }];
}

function whole(pattern: string): RegExp {
  return new RegExp(`^(?:${pattern})$`);
}
