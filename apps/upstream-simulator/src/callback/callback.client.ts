import { Pool } from 'undici';
import { signatureOf, type CallbackTarget } from './callback.entity.js';

/** Callbacks under way at once. */
export const CALLBACKS_IN_FLIGHT_MAX = 16;
/** Deadline of each phase of an attempt; the provider too gives up on a receiver that takes longer. */
const DEADLINE_MS = 10_000;

/** Speaks to the callback URL over kept connections; the target can be changed at any time. */
export class CallbackClient {
  #target: CallbackTarget;
  #pool: Pool | undefined;
  #path = '/';

  constructor(target: CallbackTarget) {
    this.#target = target;
    this.#open();
  }

  /** Where callbacks go now. */
  get target(): CallbackTarget {
    return this.#target;
  }

  /** Sends everything from now on to another target; attempts under way end where they began. */
  retarget(target: CallbackTarget): void {
    const former = this.#pool;
    this.#target = target;
    this.#open();
    former?.close().catch(() => undefined);
  }

  /** Posts a signed body. Gives the HTTP status, or undefined when there is no target, no connection or no answer in time. */
  async post(body: string): Promise<number | undefined> {
    const pool = this.#pool;
    if (!pool) return undefined;
    try {
      const headers = {
        'content-type': 'application/json',
        'x-hub-signature-256': signatureOf(body, this.#target.appSecret),
      };
      const answer = await pool.request({ path: this.#path, method: 'POST', headers, body });
      await answer.body.dump();
      return answer.statusCode;
    } catch {
      // Whatever kept the receiver from answering 200, the provider does the same about it: it tries again.
      return undefined;
    }
  }

  /**
   * Asks the receiver to prove that it knows the verify token, as the provider does on subscription.
   * Gives the status and the body of the answer, or undefined when there was none.
   */
  async verify(challenge: string): Promise<{ readonly status: number; readonly body: string } | undefined> {
    const pool = this.#pool;
    if (!pool) return undefined;
    const query = new URLSearchParams({
      'hub.mode': 'subscribe',
      'hub.challenge': challenge,
      'hub.verify_token': this.#target.verifyToken,
    });
    try {
      const path = `${this.#path}${this.#path.includes('?') ? '&' : '?'}${query}`;
      const answer = await pool.request({ path, method: 'GET' });
      return { status: answer.statusCode, body: await answer.body.text() };
    } catch {
      return undefined;
    }
  }

  /** Ends all connections at once. */
  async destroy(): Promise<void> {
    await this.#pool?.destroy();
    this.#pool = undefined;
  }

  #open(): void {
    this.#pool = undefined;
    if (this.#target.url === null) return;
    const url = new URL(this.#target.url);
    this.#path = url.pathname + url.search;
    this.#pool = new Pool(url.origin, {
      connections: CALLBACKS_IN_FLIGHT_MAX,
      headersTimeout: DEADLINE_MS,
      bodyTimeout: DEADLINE_MS,
      connect: { timeout: DEADLINE_MS },
    });
  }
}
