import { Injectable } from '@nestjs/common';
import type { Page } from '@switchboard/contracts/grammar/page';
import type { Principal } from '@switchboard/contracts/grammar/principal';
import type { MessageView } from '@switchboard/contracts/messaging/http';
import { findMessagesRpc } from '@switchboard/contracts/messaging/rpc';
import { RpcClient } from '@switchboard/nats';
import { endOf, momentOf } from '../http/input/moment.policy.js';
import { pageOf } from '../http/input/page.query.js';
import type { FindMessagesQuery } from './find-messages.query.js';
import { wholePage } from './whole-page.js';

/** Finds messages of an organization, for a key as for a person. */
@Injectable()
export class FindMessages {
  constructor(private readonly rpc: RpcClient) {}

  /** Newest first. @throws RpcUnanswered */
  async find(principal: Principal, query: FindMessagesQuery): Promise<Page<MessageView>> {
    const { status = null, direction = null, conversationId = null, contactId = null } = query;
    const { messagingChannelId = null, jobId = null, clientReference = null, createdFrom, createdTo } = query;
    const filters = {
      status,
      direction,
      conversationId,
      contactId,
      messagingChannelId,
      jobId,
      clientReference,
      createdFrom: createdFrom === undefined ? null : timeOf(momentOf(createdFrom)),
      createdBefore: createdTo === undefined ? null : timeOf(endOf(createdTo)),
    };
    return wholePage(pageOf(query), (place) => this.rpc.call(findMessagesRpc, principal, { ...filters, ...place }));
  }
}

function timeOf(moment: Date | null): string | null {
  return moment && moment.toISOString();
}
