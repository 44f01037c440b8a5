import { Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { Database } from '@switchboard/postgres';
import type { Admission, AdmissionRequest, Verdict } from '../admission.contract.js';
import { hashOfKey, isPlausibleKey } from '../api-key/api-key.policy.js';
import { paymentRefusalOf } from '../plan/plan.policy.js';
import { coalesceAdmissions } from './admission.batch.js';

/** Admission over the service's own tables; see the contract for what it promises. */
@Injectable()
export class DatabaseAdmission implements Admission, BeforeApplicationShutdown {
  private readonly ask: ReturnType<typeof coalesceAdmissions>;

  constructor(database: Database) {
    this.ask = coalesceAdmissions(database);
  }

  async admit({ key, scope, payment, cost }: AdmissionRequest): Promise<Verdict> {
    if (key === null || !isPlausibleKey(key)) return { state: 'unknown-key' };
    const found = await this.ask({ hash: hashOfKey(key), cost, askedMs: performance.now() });
    if (!found) return { state: 'unknown-key' };
    const { keyId, organizationId, scopes, plan, subscriptionStatus, excludedScopes, messagesPerMonth } = found.key;
    const { isGranted, rate, retryAfterSeconds } = found.answer;
    if (!isGranted) return { state: 'limited', organizationId, keyId, rate, retryAfterSeconds };
    return {
      state: 'admitted',
      organizationId,
      keyId,
      scopes,
      rate,
      hasScope: scope === null || scopes === null || scopes.includes(scope),
      paymentRefusal: paymentRefusalOf({ plan, status: subscriptionStatus, excludedScopes }, scope, payment),
      messagesPerMonth,
    };
  }

  /** Refuses further requests and answers those that wait. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.ask.drain();
  }
}
