import { isOneLine } from '@switchboard/contracts/grammar/one-line';
import { isRegion } from '@switchboard/phone';
import { codePointsOf, rule } from '../../http/input/text.decorator.js';

const ID = '^[0-9A-Za-z_-]{1,64}$';
const TOKEN = '^[!-~]{1,1000}$';
const KEYWORDS_MAX = 50;
const KEYWORD_LENGTH_MAX = 64;

/** An id as the upstream gives it. */
export function UpstreamId(): PropertyDecorator {
  return rule('upstreamId', 'must be an id of the upstream provider', { type: 'string', pattern: ID }, matches(ID));
}

/** The value of an `Authorization` header. */
export function AccessToken(): PropertyDecorator {
  const expected = 'must be an access token of 1 to 1000 visible characters';
  return rule('accessToken', expected, { type: 'string', pattern: TOKEN }, matches(TOKEN));
}

/** A region whose national numbers can be read. */
export function Region(): PropertyDecorator {
  const schema = { type: 'string', pattern: '^[A-Z]{2}$' };
  const isValid = (value: unknown): boolean => typeof value === 'string' && isRegion(value);
  return rule('region', 'must be a region of ISO 3166-1 alpha-2, such as US', schema, isValid);
}

/** A letter or a digit that is seen: fillers of Hangul are letters too. */
const SEEN_LETTER = /(?!\p{Default_Ignorable_Code_Point})[\p{L}\p{N}]/u;

/** Words that opt out: each has a letter or a digit, for keywords are compared by these alone. */
export function Keywords(): PropertyDecorator {
  const items = { type: 'string', minLength: 1, maxLength: KEYWORD_LENGTH_MAX };
  const schema = { type: 'array', items, maxItems: KEYWORDS_MAX };
  const expected = `must be at most ${KEYWORDS_MAX} words of 1 to ${KEYWORD_LENGTH_MAX} characters, each one line with a letter or digit`;
  return rule('keywords', expected, schema, (value) => {
    return Array.isArray(value) && value.length <= KEYWORDS_MAX && value.every(isKeyword);
  });
}

function isKeyword(word: unknown): boolean {
  if (typeof word !== 'string' || codePointsOf(word) > KEYWORD_LENGTH_MAX) return false;
  return isOneLine(word) && SEEN_LETTER.test(word);
}

function matches(pattern: string): (value: unknown) => boolean {
  const form = new RegExp(pattern);
  return (value) => typeof value === 'string' && form.test(value);
}
