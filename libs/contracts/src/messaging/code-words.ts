/** What a code means, a sentence without its capital and stop, and what to do about it, in whole sentences. */
export interface CodeWords {
  readonly means: string;
  readonly advice: string;
}

/** Code of a message that was still to be sent when its contact was erased. Source: docs/api-behaviour.md#erasure. */
export const ERASED = 'ERASED';

const RECONNECT = 'An owner or admin connects the channel again with a valid token.';
/** What is said of a message that failed by a code after which requests are repeated. */
const OVER = 'It was not delivered; it may be sent again.';
const RETRIED = 'It is sent again without your doing.';
const ASK_PROVIDER = "Look at the account in the provider's manager.";

/** By code of the provider, or of ours, that a message may have. Source: provider's "Error codes", and docs/errors.md. */
const words: ReadonlyMap<string, CodeWords> = new Map([
  ...each(['0', '3', '10', '190', '401', '131005'], "the provider refused the channel's access token", RECONNECT),
  ...each(['33', '131045', '133010'], "the channel's line is not registered at the provider", RECONNECT),
  ...each(['4', '80007', '130429', '429'], 'the provider takes no more messages of the channel for now', RETRIED),
  ...each(['2', '131016', '131057', '133004', '503'], 'the provider is overloaded or under maintenance', RETRIED),
  ...each(['131056'], 'too many messages went to this recipient in a short time', RETRIED),
  ...each(['131048', '131064'], 'the provider limits the account because recipients complained', RETRIED),
  ...each(['131031'], "the provider locked the channel's account", ASK_PROVIDER),
  ...each(['368'], "the account broke one of the provider's policies", ASK_PROVIDER),
  ...each(['130497'], 'the account may not write to recipients of this country', ASK_PROVIDER),
  ...each(['131042'], 'a payment of the account is missing', 'Settle it with the provider.'),
  ...each(['1', '131000'], 'something went wrong at the provider', 'Whether it was delivered is not known.'),
  ...each(['100', '131008', '131009'], 'the provider did not accept the content', 'Check the text and the recipient.'),
  ...each(
    ['131026'],
    'the recipient cannot be reached on this channel',
    'Check the number with the recipient; sending it again changes nothing.',
  ),
  ...each(['130403'], 'the recipient has blocked the number of the channel', 'Send nothing until they write again.'),
  ...each(
    ['130472'],
    'the provider holds marketing messages back from this recipient, for an experiment of its own',
    'Sending it again changes nothing.',
  ),
  ...each(['131021'], "the recipient's number is the channel's own", 'Send it to another number.'),
  ...each(['135000'], 'the provider did not accept the request', 'Check the content and the recipient.'),
  ...each(
    ['131047'],
    'more than 24 hours have passed since the recipient last wrote',
    'Send an approved template; after an answer texts are possible again.',
  ),
  ...each(
    ['131049'],
    'the provider holds messages back so that people are not written to too often',
    'Wait a day before another one.',
  ),
  ...each(['131050'], 'the recipient has opted out at the provider', 'Send nothing until they opt in again.'),
  ...each(['131051'], 'the provider does not support this type of message', 'Send another type.'),
  ...each(['132000', '132012'], 'the variables do not fit the template', 'Correct the variables.'),
  ...each(['132001'], 'the provider has no such template in this language', 'Choose a template that is APPROVED.'),
  ...each(['132005'], 'the filled template is too long', 'Shorten the variables.'),
  ...each(['132007'], "the template's content breaks a policy of the provider", 'Change the template.'),
  ...each(['132015'], 'the provider paused the template for its quality', 'Choose another template, or change it.'),
  ...each(['132016'], 'the provider disabled the template for its quality', 'Choose another template.'),
  ...each(['UPSTREAM_UNREACHABLE'], 'the provider could not be reached', RETRIED),
  ...each(['UPSTREAM_UNAVAILABLE'], 'the provider did not take it within 24 hours', OVER),
  ...each(
    ['UPSTREAM_OUTCOME_UNKNOWN'],
    'it is still not known whether the provider took it',
    'Do not send it again blindly: the recipient may have it.',
  ),
  ...each(
    ['CONTACT_OPTED_OUT'],
    'the contact opted out before it was handed over',
    'Send nothing until they opt in again.',
  ),
  ...each([ERASED], 'the contact was erased before it was handed over', 'It was not delivered.'),
  ...each(['JOB_CANCELED'], 'the bulk send was cancelled before the provider took it', 'It was not delivered.'),
  ...each(['UPSTREAM_NOT_CONNECTED'], 'the channel was disconnected before it was handed over', RECONNECT),
  ...each(
    ['TOKEN_UNREADABLE'],
    "the channel's access token could not be read",
    'It is sent again without your doing. Where it lasts, an owner or admin connects the channel again.',
  ),
]);

function each(codes: readonly string[], means: string, advice: string): [string, CodeWords][] {
  return codes.map((code) => [code, { means, advice }]);
}

/** What a code means, where it is known, and what to do about a request that it refused. */
export function wordsOfRefusal(code: string): CodeWords | undefined {
  return words.get(code) ?? (isPermission(code) ? words.get('10') : undefined);
}

/** The same for a message that failed by it: nothing of it is sent again. */
export function wordsOfFailure(code: string): CodeWords | undefined {
  const known = wordsOfRefusal(code);
  return known && afterFailure(known);
}

/** The words of failed messages by code, for descriptions. */
export function failureWords(): Readonly<Record<string, Pick<CodeWords, keyof CodeWords>>> {
  return Object.fromEntries([...words].map(([code, known]) => [code, afterFailure(known)]));
}

function afterFailure(known: CodeWords): CodeWords {
  return known.advice === RETRIED ? { ...known, advice: OVER } : known;
}

/** Source: provider's "Error codes": 200 to 299 are permissions. */
function isPermission(code: string): boolean {
  return /^2\d\d$/.test(code);
}
