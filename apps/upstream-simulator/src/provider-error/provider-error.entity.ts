import { randomBytes } from 'node:crypto';

/** An answer to a request of the provider's API: the HTTP status, and a JSON body, or '' for none. */
export interface ProviderAnswer {
  readonly status: number;
  readonly body: string;
}

interface Entry {
  readonly status: number;
  readonly title: string;
  readonly details: string;
  readonly subcode?: number;
  /** Errors of the Graph layer, in front of the messaging API, have no `error_data`. */
  readonly graph?: true;
}

/**
 * The codes that can be answered, with the HTTP status that the provider's error page gives for each (429 for call and
 * throughput limits; clients decide by the code all the same).
 * Source: the provider's page "Cloud API error codes".
 */
const CATALOG: Readonly<Record<number, Entry>> = {
  0: { status: 401, title: 'AuthException', details: 'We were unable to authenticate the app user', graph: true },
  1: { status: 500, title: 'API Unknown', details: 'Invalid request or possible server error' },
  2: { status: 503, title: 'API Service', details: 'Temporary due to downtime or due to being overloaded' },
  3: { status: 500, title: 'API Method', details: 'Capability or permissions issue', graph: true },
  4: { status: 429, title: 'API Too Many Calls', details: 'The app has reached its API call rate limit', graph: true },
  10: { status: 403, title: 'Permission Denied', details: 'Permission is not granted or was removed', graph: true },
  33: { status: 400, title: 'Parameter value is not valid', details: 'The business phone number has been deleted' },
  100: {
    status: 400,
    title: 'Invalid parameter',
    details: 'The request included an unsupported or misspelled parameter',
  },
  190: { status: 401, title: 'Invalid OAuth access token', details: 'The access token has expired', graph: true },
  200: { status: 403, title: 'API Permission', details: 'Permission is not granted or was removed', graph: true },
  368: { status: 403, title: 'Temporarily blocked for policies violations', details: 'The account was restricted' },
  80007: { status: 429, title: 'Rate limit issues', details: 'The business account has reached its rate limit' },
  130403: { status: 403, title: 'User blocked', details: 'The recipient has blocked this business' },
  130429: {
    status: 429,
    title: 'Rate limit hit',
    details:
      'Message failed to send because there were too many messages sent from this phone number in a short period of time',
    subcode: 2494055,
  },
  130472: { status: 400, title: "User's number is part of an experiment", details: 'Message was not sent' },
  130497: {
    status: 403,
    title: 'Business account is restricted from messaging users in this country',
    details: 'Restricted',
  },
  131000: { status: 500, title: 'Something went wrong', details: 'Message failed to send due to an unknown error' },
  131005: { status: 403, title: 'Access denied', details: 'Permission is not granted or was removed' },
  131008: {
    status: 400,
    title: 'Required parameter is missing',
    details: 'The request is missing a required parameter',
  },
  131009: { status: 400, title: 'Parameter value is not valid', details: 'One or more parameter values are invalid' },
  131016: { status: 503, title: 'Service unavailable', details: 'A service is temporarily unavailable' },
  131021: {
    status: 400,
    title: 'Recipient cannot be sender',
    details: 'Sender and recipient phone number is the same',
  },
  131026: { status: 400, title: 'Message undeliverable', details: 'Unable to deliver the message to this recipient' },
  131031: { status: 403, title: 'Account has been locked', details: 'The account was restricted or disabled' },
  131042: {
    status: 400,
    title: 'Business eligibility payment issue',
    details: 'There was an error with the payment method',
  },
  131045: {
    status: 500,
    title: 'Incorrect certificate',
    details: 'Message failed to send due to a registration error',
  },
  131047: {
    status: 400,
    title: 'Re-engagement message',
    details: 'More than 24 hours have passed since the recipient last replied to the sender number',
  },
  131048: { status: 429, title: 'Spam rate limit hit', details: 'There are restrictions on messages from this number' },
  131049: {
    status: 400,
    title: 'This message was not delivered to maintain healthy ecosystem engagement.',
    details: 'In order to maintain a healthy ecosystem engagement, the message failed to be delivered.',
  },
  131050: {
    status: 400,
    title: 'User has stopped marketing messages',
    details: 'The recipient stopped marketing messages',
  },
  131051: { status: 400, title: 'Message type unknown', details: 'Message type is currently not supported.' },
  131056: {
    status: 429,
    title: '(Business Account, Consumer Account) pair rate limit hit',
    details: 'Too many messages sent from the sender number to the same recipient number in a short period of time',
  },
  131057: { status: 503, title: 'Account in maintenance mode', details: 'The business account is in maintenance mode' },
  131064: {
    status: 429,
    title: 'Messaging limit reached',
    details: 'There are restrictions on messages from this account',
  },
  132000: {
    status: 400,
    title: 'Number of parameters does not match the expected number of params',
    details: 'Mismatch',
  },
  132001: { status: 404, title: 'Template name does not exist in the translation', details: 'No such template' },
  132005: { status: 400, title: 'Translated text too long', details: 'The translated text is too long' },
  132007: { status: 400, title: 'Template format character policy violated', details: 'The content violates a policy' },
  132012: { status: 400, title: 'Parameter format does not match format in the created template', details: 'Mismatch' },
  132015: { status: 400, title: 'Template is paused', details: 'Template is paused due to low quality' },
  132016: { status: 400, title: 'Template is disabled', details: 'Template was paused too often and is disabled' },
  133004: { status: 503, title: 'Server temporarily unavailable', details: 'Server is temporarily unavailable' },
  133010: { status: 400, title: 'Phone number not registered', details: 'The phone number is not registered' },
  135000: { status: 400, title: 'Generic user error', details: 'Message failed to send because of an unknown error' },
};

/** Every code that `refusal` has a text for. */
export const PROVIDER_ERROR_CODES: ReadonlySet<number> = new Set(Object.keys(CATALOG).map(Number));

/** The answer 500 without a body: something in front of the provider failed, and nothing says whether it took the message. */
export const FAULT_WITHOUT_BODY: ProviderAnswer = { status: 500, body: '' };

/** The provider's refusal for a code; `details` replaces the usual explanation. Codes without a text become 400. */
export function refusal(code: number, details?: string): ProviderAnswer {
  const entry = entryOf(code);
  return {
    status: entry.status,
    body: JSON.stringify({
      error: {
        message: `(#${code}) ${entry.title}`,
        type: 'OAuthException',
        code,
        ...(entry.graph ? {} : { error_data: { messaging_product: 'whatsapp', details: details ?? entry.details } }),
        ...(entry.subcode === undefined ? {} : { error_subcode: entry.subcode }),
        fbtrace_id: traceId(),
      },
    }),
  };
}

/** The Graph layer's refusal of an object id that does not exist or that the token may not see: code 100, subcode 33. */
export function unknownObject(id: string): ProviderAnswer {
  const message =
    `Unsupported post request. Object with ID '${id}' does not exist, cannot be loaded due to missing permissions, ` +
    'or does not support this operation';
  const error = { message, type: 'GraphMethodException', code: 100, error_subcode: 33, fbtrace_id: traceId() };
  return { status: 400, body: JSON.stringify({ error }) };
}

/** The error object of a `failed` status or of a message that could not be read. */
export function callbackError(code: number): object {
  const { title, details } = entryOf(code);
  return {
    code,
    title,
    message: title,
    error_data: { details },
    href: 'https://developers.facebook.com/docs/whatsapp/cloud-api/support/error-codes/',
  };
}

function entryOf(code: number): Entry {
  return CATALOG[code] ?? { status: 400, title: 'Unknown error', details: 'Unknown error' };
}

function traceId(): string {
  return `A${randomBytes(16).toString('base64url')}`;
}
