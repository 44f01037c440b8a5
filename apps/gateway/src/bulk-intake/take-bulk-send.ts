import { createHash, hash, type Hash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { Inject, Injectable } from '@nestjs/common';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import { newCuid } from '@switchboard/contracts/grammar/cuid';
import { serviceErrors } from '@switchboard/contracts/grammar/errors';
import type { Principal } from '@switchboard/contracts/grammar/principal';
import {
  commitJobRpc,
  findJobByKeyRpc,
  type CommitJobRequest,
  type JobKey,
  type KeyedJob,
} from '@switchboard/contracts/templates/job-rpc';
import { JsonText, RpcClient } from '@switchboard/nats';
import { LOG, type Log } from '@switchboard/platform';
import { TenantTurns } from '@switchboard/timing';
import { GATEWAY_CONFIG, type GatewayConfig } from '../gateway.config.js';
import { momentOf } from '../http/input/moment.policy.js';
import { readBody } from '../http/input/read-input.js';
import { piecesOf } from '../http/streamed-body.js';
import type { BulkBodyEnd } from './bulk-body.js';
import { ParsingThreads, type ParsedBody } from './parsing-threads.js';
import { BulkSendFields, templateProblem } from './send-template.body.js';
import { StagedRecipients, withRecipients } from './staged-recipients.js';

/** Source: docs/api-behaviour.md#body-size. */
export const BULK_BYTES_MAX = 32 * 1_024 * 1_024;
/** Larger bodies are counted: so many of an organization are read at once. Source: docs/api-behaviour.md#bulk-sends-limits. */
const UNCOUNTED_BYTES_MAX = 1_024 * 1_024;
const COUNTED_BODIES_MAX = 4;
/** Bodies of an organization, of any size, that this process reads at once: the others are not read yet, and hold nothing. */
const READ_AT_ONCE_MAX = 16;

/** A request to send a template in bulk, its body still to be read. */
export interface BulkSendRequest {
  readonly stream: Readable;
  /** What `Content-Length` says; null when it says nothing. */
  readonly announcedBytes: number | null;
  /** As that of `StreamLimits`. */
  readonly over: AbortSignal;
  /** Null: the body itself is the key. */
  readonly idempotencyKey: string | null;
  /**
   * Asked when the body has ended, which may be long after admission: what the organization may send in a month.
   *
   * @throws AppError when the key, the session or the subscription ended meanwhile
   */
  readonly quotaNow: () => Promise<number>;
}

/** A body on its way through. */
interface Passing {
  readonly parsed: ParsedBody;
  readonly staged: StagedRecipients;
  readonly sha256: Hash;
  /** The key has a job: nothing is stored. */
  readonly isKnown: boolean;
}

/**
 * Takes the body of a bulk send as it arrives: parsed in a thread, its recipients stored by templates in chunks, and
 * made a job by one commit at the end. Whatever goes wrong before leaves nothing behind. ADR 0043.
 */
@Injectable()
export class TakeBulkSend {
  private readonly turns = new TenantTurns({ eachMax: READ_AT_ONCE_MAX });

  constructor(
    private readonly threads: ParsingThreads,
    @Inject(RpcClient) private readonly rpc: Pick<RpcClient, 'call'>,
    @Inject(GATEWAY_CONFIG) private readonly config: Pick<GatewayConfig, 'GATEWAY_REQUEST_TIMEOUT_MS'>,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /**
   * @returns the job, this request's or an earlier one's with its key
   * @throws AppError as `piecesOf`, `BulkBody` and `commitJobRpc`; RATE_LIMITED; VALIDATION_FAILED
   */
  take(principal: Principal, request: BulkSendRequest): Promise<KeyedJob> {
    return this.turns.run(principal.organizationId, () => this.takeNow(principal, request));
  }

  private async takeNow(principal: Principal, request: BulkSendRequest): Promise<KeyedJob> {
    const jobId = newCuid();
    const staged = new StagedRecipients(this.rpc, principal, jobId);
    const parsed = this.threads.open();
    try {
      const isCounted = (request.announcedBytes ?? 0) > UNCOUNTED_BYTES_MAX;
      // Before it is read: a replay of a large body stores nothing, one too many is not read at all.
      const isKnown = isCounted && (await this.isKnown(principal, request.idempotencyKey));
      if (isCounted && !isKnown) await staged.begin(COUNTED_BODIES_MAX);
      const passing = { parsed, staged, sha256: createHash('sha256'), isKnown };
      await this.read(request, passing);
      const end = await parsed.end();
      const messagesPerMonth = await request.quotaNow();
      const bodySha256 = passing.sha256.digest('hex');
      const key = keyOf(request.idempotencyKey, bodySha256);
      return await this.commit(principal, { jobId, key, bodySha256, end, passing }, messagesPerMonth);
    } catch (error) {
      this.abandon(staged);
      throw error;
    } finally {
      parsed.drop();
    }
  }

  /** Every piece to its end; recipients are stored as soon as the body turns out to be large. */
  private async read({ stream, over }: BulkSendRequest, { parsed, staged, sha256, isKnown }: Passing): Promise<void> {
    const limits = { bytesMax: BULK_BYTES_MAX, waitMsMax: this.config.GATEWAY_REQUEST_TIMEOUT_MS, over };
    let bytes = 0;
    for await (const piece of piecesOf(stream, limits)) {
      bytes += piece.length;
      sha256.update(piece);
      const chunks = await parsed.push(piece);
      if (isKnown) continue;
      staged.hold(chunks);
      if (bytes <= UNCOUNTED_BYTES_MAX) continue;
      await staged.begin(COUNTED_BODIES_MAX);
      await staged.send();
    }
  }

  private async commit(
    principal: Principal,
    {
      jobId,
      key,
      bodySha256,
      end,
      passing,
    }: Pick<CommitJobRequest, 'jobId' | 'key' | 'bodySha256'> & {
      readonly end: BulkBodyEnd;
      readonly passing: Passing;
    },
    messagesPerMonth: number,
  ): Promise<KeyedJob> {
    const { staged, isKnown } = passing;
    const { fields, refusal } = readFields(end);
    if (end.lastChunk) staged.hold([end.lastChunk]);
    const { whole } = staged;
    // A stored answer comes before the shape; and a batch that is there already is not stored again.
    if (refusal || isKnown || !whole) {
      const { found } = await this.rpc.call(findJobByKeyRpc, principal, { key, bodySha256 });
      if (found) {
        this.abandon(staged);
        return found;
      }
      // A job that was known is there for good, unless it was deleted this moment.
      if (isKnown) throw new AppError(serviceErrors.SERVICE_UNAVAILABLE, undefined, { retryAfterSeconds: 1 });
    }
    if (refusal) throw refusal;
    if (!whole) {
      await staged.begin(null);
      await staged.send();
      await staged.stored();
    }
    const { templateId, template, messagingChannelId, throttlePerHour, scheduledAt } = fields;
    const head = {
      jobId,
      key,
      bodySha256,
      template: templateId ? { id: templateId } : { name: template?.name ?? '', language: template?.language ?? '' },
      messagingChannelId: messagingChannelId ?? null,
      throttlePerHour: throttlePerHour ?? null,
      scheduledAt: momentOf(scheduledAt ?? '')?.toISOString() ?? null,
      total: end.total,
      messagesPerMonth,
    } satisfies Omit<CommitJobRequest, 'recipients'>;
    const text = withRecipients(JSON.stringify(head), whole?.json ?? 'null');
    return this.rpc.call(commitJobRpc, principal, new JsonText<CommitJobRequest>(text));
  }

  private async isKnown(principal: Principal, idempotencyKey: string | null): Promise<boolean> {
    if (idempotencyKey === null) return false;
    // The body is not known yet: whether it is another one is found at its end.
    const bodySha256 = hash('sha256', '');
    const key = keyOf(idempotencyKey, bodySha256);
    const { found } = await this.rpc.call(findJobByKeyRpc, principal, { key, bodySha256 });
    return found !== null;
  }

  /** Does not hold up the answer. What cannot be removed now, templates removes after a while. */
  private abandon(staged: StagedRecipients): void {
    staged.abandon().catch((error: unknown) => this.log.warn('bulk-intake.abandon-failed', { error: String(error) }));
  }
}

function keyOf(idempotencyKey: string | null, bodySha256: string): JobKey {
  if (idempotencyKey === null) return { kind: 'derived', sha256: bodySha256 };
  return { kind: 'explicit', sha256: hash('sha256', idempotencyKey) };
}

/** The fields of a body, and why it is refused; its shape is judged as a whole. */
function readFields({ fields, hints, refusal }: BulkBodyEnd): {
  readonly fields: BulkSendFields;
  readonly refusal: AppError | null;
} {
  const refuse = (message: string): AppError => new AppError(serviceErrors.VALIDATION_FAILED, message);
  try {
    const read = readBody(BulkSendFields, fields);
    const problem = templateProblem(read) ?? refusal;
    return { fields: read, refusal: problem === null ? null : refuse(problem) };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { fields: new BulkSendFields(), refusal: refuse(error.message + hints) };
  }
}
