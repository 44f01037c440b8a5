import type { ApiKeyView, NewApiKeyView } from '@switchboard/contracts/gateway/http';
import type { Page } from '@switchboard/contracts/grammar/page';
import type { KeyedRequest } from '@switchboard/contracts/grammar/keyed-request';
import type { Scope } from './admission.contract.js';
import type { SessionAct } from './audit.contract.js';

/** A key that is wanted. */
export interface ApiKeyInput {
  /** 1 to 100 code points. */
  readonly label: string;
  /** Not empty and none twice; null: all scopes, those of later versions too. */
  readonly scopes: readonly Scope[] | null;
}

/**
 * The keys of organizations. Each change is in the audit log, and is refused (UNAUTHORIZED, FORBIDDEN) when the session that it
 * is asked for in ended meanwhile: a removed administrator is left no key.
 */
export interface ApiKeys {
  /**
   * Makes a key; its secret is in this answer and nowhere else. More than 50 active keys bring a hint, no refusal.
   *
   * A repetition of a request with an `Idempotency-Key` makes no second key: for 24 hours it answers with the first one and a new
   * secret, which ends the former one, as long as the key is neither used nor revoked.
   *
   * @param request its `Idempotency-Key`, if it has one
   * @throws AppError CONFLICT after that, and for another body; with `retryAfterSeconds` when the secret was made while this request was
   * under way: the caller may have the answer with it
   */
  create(
    act: SessionAct,
    input: ApiKeyInput,
    request: KeyedRequest | null,
  ): Promise<{ readonly apiKey: NewApiKeyView; readonly isRepetition: boolean }>;
  /** Newest first, revoked ones too. @param page `cursor`: the id of the last key of the page before */
  list(
    organizationId: string,
    page: { readonly limit: number; readonly cursor: string | null },
  ): Promise<Page<ApiKeyView>>;
  /**
   * Ends a key for good: no request that begins after this has returned is let in with it, by any replica. A key that is
   * revoked already stays as it is, and nothing is written.
   *
   * @throws AppError API_KEY_NOT_FOUND, for another organization's too
   */
  revoke(act: SessionAct, keyId: string): Promise<ApiKeyView>;
}

/** Token of `ApiKeys`. */
export const API_KEYS = Symbol('ApiKeys');
