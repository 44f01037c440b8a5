import { AppError } from '@switchboard/contracts/grammar/app-error';
import { gatewayErrors } from '@switchboard/contracts/gateway/errors';
import type { Principal } from '@switchboard/contracts/grammar/principal';
import type { RpcRequestOf } from '@switchboard/contracts/grammar/define-rpc';
import { abandonJobRpc, beginJobRpc, stageRecipientsRpc } from '@switchboard/contracts/templates/job-rpc';
import { JsonText, type RpcClient } from '@switchboard/nats';
import { release } from './owned-bytes.js';
import type { RecipientChunk } from './recipient-chunks.js';

/** Chunks of one body on their way at once: one is stored while the next is put together. */
const IN_FLIGHT_MAX = 2;
/** When a place may be free again. */
const RETRY_AFTER_SECONDS = 5;

/** The recipients of one body on their way to templates, in chunks; what is not sent yet is held. */
export class StagedRecipients {
  private held: RecipientChunk[] = [];
  private hasBegun = false;
  private readonly inFlight = new Set<Promise<void>>();
  private failure: { readonly cause: unknown } | null = null;

  constructor(
    private readonly rpc: Pick<RpcClient, 'call'>,
    private readonly principal: Principal,
    private readonly jobId: string,
  ) {}

  /** The whole batch, while it is one chunk and fits into the commit; null once it has to be sent, or was. */
  get whole(): RecipientChunk | null {
    const [only, ...more] = this.held;
    return only !== undefined && more.length === 0 && !this.hasBegun ? only : null;
  }

  hold(chunks: readonly RecipientChunk[]): void {
    this.held.push(...chunks);
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

  /** Sends what is held; waits as long as too many are on their way. @throws as the first chunk that failed */
  async send(): Promise<void> {
    for (let chunk = this.held.shift(); chunk; chunk = this.held.shift()) await this.sendChunk(chunk);
  }

  /** Waits until all that was sent is stored. @throws as the first chunk that failed */
  async stored(): Promise<void> {
    await Promise.all(this.inFlight);
    this.refuseAfterFailure();
  }

  /** Has what was sent removed. A job that is there stays. */
  async abandon(): Promise<void> {
    await Promise.allSettled(this.inFlight);
    if (this.hasBegun) await this.rpc.call(abandonJobRpc, this.principal, { jobId: this.jobId });
  }

  private async sendChunk({ firstIndex, json }: RecipientChunk): Promise<void> {
    while (this.inFlight.size >= IN_FLIGHT_MAX) await Promise.race(this.inFlight);
    this.refuseAfterFailure();
    const head = JSON.stringify({ jobId: this.jobId, firstIndex });
    const request = new JsonText<RpcRequestOf<typeof stageRecipientsRpc>>(withRecipients(head, json));
    const sending = this.rpc.call(stageRecipientsRpc, this.principal, request).then(
      () => undefined,
      (cause: unknown) => void (this.failure ??= { cause }),
    );
    this.inFlight.add(sending);
    void sending.finally(() => {
      this.inFlight.delete(sending);
      release(json.buffer);
    });
  }

  private refuseAfterFailure(): void {
    if (this.failure) throw this.failure.cause;
  }
}

/** A request in JSON with its recipients. @param head the request without them, in JSON */
export function withRecipients(head: string, recipients: Uint8Array | 'null'): readonly (string | Uint8Array)[] {
  return [`${head.slice(0, -1)},"recipients":`, recipients, '}'];
}
