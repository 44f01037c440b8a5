import { AppError } from '@switchboard/contracts/grammar/app-error';
import { gatewayErrors } from '@switchboard/contracts/gateway/errors';
import type { Principal } from '@switchboard/contracts/grammar/principal';
import {
  abandonJobRpc,
  beginJobRpc,
  CHUNK_RECIPIENTS_MAX,
  stageRecipientsRpc,
  type BulkRecipient,
} from '@switchboard/contracts/templates/job-rpc';
import type { RpcClient } from '@switchboard/nats';
import type { ReadRecipient } from './bulk-body.js';

/** Chunks of one body on their way at once: one is stored while the next is put together. */
const IN_FLIGHT_MAX = 2;
/** Of the recipients as they were written. A chunk is put into JSON in one go: more would hold up other requests. */
const CHUNK_BYTES_MAX = 256 * 1_024;
/** When a place may be free again. */
const RETRY_AFTER_SECONDS = 5;

/** The recipients of one body on their way to templates, in chunks; what is not sent yet is held. */
export class StagedRecipients {
  private held: ReadRecipient[] = [];
  private heldBytes = 0;
  private sent = 0;
  private hasBegun = false;
  private readonly inFlight = new Set<Promise<void>>();
  private failure: { readonly cause: unknown } | null = null;

  constructor(
    private readonly rpc: Pick<RpcClient, 'call'>,
    private readonly principal: Principal,
    private readonly jobId: string,
  ) {}

  /** All recipients, while they still fit into the commit; null once some of them had to be sent. */
  get whole(): readonly BulkRecipient[] | null {
    return !this.hasBegun && !this.isChunkFull ? this.held.map(({ recipient }) => recipient) : null;
  }

  hold(recipients: readonly ReadRecipient[]): void {
    for (const one of recipients) {
      this.held.push(one);
      this.heldBytes += one.bytes;
    }
  }

  /**
   * Takes a place for the body; once.
   *
   * @param placesMax places of the organization; null: this body counts for none
   * @throws AppError RATE_LIMITED
   */
  async begin(placesMax: number | null): Promise<void> {
    if (this.hasBegun) return;
    this.hasBegun = true;
    const { isAdmitted } = await this.rpc.call(beginJobRpc, this.principal, { jobId: this.jobId, placesMax });
    if (isAdmitted) return;
    throw new AppError(gatewayErrors.RATE_LIMITED, undefined, { retryAfterSeconds: RETRY_AFTER_SECONDS });
  }

  /** Sends the chunks that are full; waits as long as too many are on their way. @throws as the first chunk that failed */
  async sendFull(): Promise<void> {
    while (this.isChunkFull) await this.sendChunk();
  }

  /** Sends what is held and waits until all is stored. @throws as the first chunk that failed */
  async sendAll(): Promise<void> {
    while (this.held.length > 0) await this.sendChunk();
    await Promise.all(this.inFlight);
    this.refuseAfterFailure();
  }

  /** Has what was sent removed. A job that is there stays. */
  async abandon(): Promise<void> {
    await Promise.allSettled(this.inFlight);
    if (this.hasBegun) await this.rpc.call(abandonJobRpc, this.principal, { jobId: this.jobId });
  }

  /** More is held than goes into one chunk. */
  private get isChunkFull(): boolean {
    return this.held.length > CHUNK_RECIPIENTS_MAX || this.heldBytes > CHUNK_BYTES_MAX;
  }

  private async sendChunk(): Promise<void> {
    while (this.inFlight.size >= IN_FLIGHT_MAX) await Promise.race(this.inFlight);
    this.refuseAfterFailure();
    const recipients = this.takeChunk();
    const request = { jobId: this.jobId, firstIndex: this.sent, recipients };
    this.sent += recipients.length;
    const sending = this.rpc.call(stageRecipientsRpc, this.principal, request).then(
      () => undefined,
      (cause: unknown) => void (this.failure ??= { cause }),
    );
    this.inFlight.add(sending);
    void sending.finally(() => this.inFlight.delete(sending));
  }

  private takeChunk(): readonly BulkRecipient[] {
    let count = 0;
    let bytes = 0;
    for (const one of this.held) {
      if (count === CHUNK_RECIPIENTS_MAX || (count > 0 && bytes + one.bytes > CHUNK_BYTES_MAX)) break;
      count++;
      bytes += one.bytes;
    }
    this.heldBytes -= bytes;
    return this.held.splice(0, count).map(({ recipient }) => recipient);
  }

  private refuseAfterFailure(): void {
    if (this.failure) throw this.failure.cause;
  }
}
