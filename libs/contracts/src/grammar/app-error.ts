/**
 * Whether the caller may send the same request again, and when. `later` is for a refusal that had no effect; `if-repeatable` for
 * an answer that does not say whether the request had one.
 */
export type RetryVerdict = 'never' | 'after-fixing' | 'later' | 'if-repeatable';

/** One entry of the error registry: everything that any edge needs to know about a code. */
export interface ErrorDefinition<Code extends string = string> {
  readonly code: Code;
  /** HTTP status it is answered with. */
  readonly status: number;
  /** The sentence shown when the thrower gives none; also what the docs say. */
  readonly message: string;
  /** A sentence as it is answered, where throwers say more than `message` does. */
  readonly example?: string;
  readonly retry: RetryVerdict;
}

/** Declares a code of the registry. Codes are stable: renaming one is a breaking change. */
export function defineError<const Code extends string>(definition: ErrorDefinition<Code>): ErrorDefinition<Code> {
  return Object.freeze(definition);
}

/** Facts that travel with a refusal's code and sentence; none of them is secret. */
export interface AppErrorDetails {
  /** Whole seconds for `Retry-After`. */
  readonly retryAfterSeconds?: number;
  /** The stored message that the refusal is about: `X-Message-Id`. */
  readonly messageId?: string;
  /** The code of the upstream provider that the refusal repeats: `X-Upstream-Code`. */
  readonly upstreamCode?: string;
  readonly cause?: unknown;
}

/** An expected refusal. Anything else that is thrown is a bug and is answered 500 `INTERNAL` without detail. */
export class AppError extends Error {
  readonly code: string;
  readonly status: number;
  readonly retryAfterSeconds: number | undefined;
  readonly messageId: string | undefined;
  readonly upstreamCode: string | undefined;

  constructor(
    readonly definition: ErrorDefinition,
    message?: string,
    details: AppErrorDetails = {},
  ) {
    super(message ?? definition.message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = 'AppError';
    this.code = definition.code;
    this.status = definition.status;
    this.retryAfterSeconds = details.retryAfterSeconds;
    this.messageId = details.messageId;
    this.upstreamCode = details.upstreamCode;
  }
}

/** The body of every failure, to the byte. Source: docs/api-behaviour.md#errors-envelope. */
export function envelopeOf(error: AppError): string {
  return JSON.stringify({ error: { code: error.code, message: error.message } });
}
