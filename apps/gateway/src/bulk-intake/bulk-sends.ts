import type { IncomingMessage } from 'node:http';
import { Injectable } from '@nestjs/common';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import { serviceErrors } from '@switchboard/contracts/grammar/errors';
import type { Page } from '@switchboard/contracts/grammar/page';
import type { Principal } from '@switchboard/contracts/grammar/principal';
import type { AcceptedJob, JobView, RecipientView } from '@switchboard/contracts/templates/job-http';
import {
  controlJobRpc,
  getJobRpc,
  listJobsRpc,
  listRecipientsRpc,
  type JobAction,
} from '@switchboard/contracts/templates/job-rpc';
import { RpcClient } from '@switchboard/nats';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AdmitRequest } from '../http/admit-request.js';
import { pageOf, type PageQuery } from '../http/input/page.query.js';
import type { ListRecipientsQuery } from './list-recipients.query.js';
import { TakeBulkSend } from './take-bulk-send.js';

/** What decides about a send apart from its body. */
export interface SendTerms {
  readonly idempotencyKey: string | null;
  readonly messagesPerMonth: number;
}

/** Bulk sends for both APIs: /v1 by key, /app/api by session. */
@Injectable()
export class BulkSends {
  constructor(
    private readonly takeBulkSend: TakeBulkSend,
    private readonly rpc: RpcClient,
    private readonly admitRequest: AdmitRequest,
  ) {}

  /** Takes a body and answers 202 with its job. @throws AppError as `TakeBulkSend.take` */
  async send(principal: Principal, terms: SendTerms, reply: FastifyReply): Promise<AcceptedJob> {
    const stream: IncomingMessage = reply.request.raw;
    const over = new AbortController();
    reply.raw.once('close', () => over.abort());
    const announced = stream.headers['content-length'];
    const { job, isReplay, isMismatch } = await this.takeBulkSend.take(principal, {
      stream,
      over: over.signal,
      announcedBytes: announced === undefined ? null : Number(announced),
      idempotencyKey: terms.idempotencyKey,
      quotaNow: () => this.quotaNow(reply.request, terms),
    });
    const { id, status, total, createdAt } = job;
    // Of the API that was asked.
    reply.code(202).header('location', `${reply.request.routeOptions.url ?? ''}/${id}`);
    if (isReplay) reply.header('idempotent-replayed', 'true');
    if (isMismatch) reply.header('idempotency-mismatch', 'true');
    return { id, status, total, createdAt };
  }

  /** @throws AppError UNAUTHORIZED, PAYMENT_REQUIRED when key or subscription ended while the body was read */
  private async quotaNow(request: FastifyRequest, terms: SendTerms): Promise<number> {
    await this.admitRequest.admitAgain(request);
    const { admitted, paid } = request.state;
    const refusal = admitted?.paymentRefusal ?? paid?.refusal;
    if (refusal) throw new AppError(serviceErrors.PAYMENT_REQUIRED, refusal);
    return (admitted ?? paid)?.messagesPerMonth ?? terms.messagesPerMonth;
  }

  list(principal: Principal, query: PageQuery): Promise<Page<JobView>> {
    return this.rpc.call(listJobsRpc, principal, pageOf(query));
  }

  get(principal: Principal, id: string): Promise<JobView> {
    return this.rpc.call(getJobRpc, principal, { id });
  }

  listRecipients(principal: Principal, jobId: string, query: ListRecipientsQuery): Promise<Page<RecipientView>> {
    return this.rpc.call(listRecipientsRpc, principal, { jobId, ...pageOf(query), status: query.status ?? null });
  }

  control(principal: Principal, id: string, action: JobAction): Promise<JobView> {
    return this.rpc.call(controlJobRpc, principal, { id, action });
  }
}
