import { Inject, Injectable } from '@nestjs/common';
import { messagingErasuresConsumer } from '@switchboard/contracts/consumers';
import { RpcClient } from '@switchboard/nats';
import {
  EraseSignal,
  ErasuresConsumer,
  PLATFORM,
  remoteErasureBook,
  type FoundContact,
  type Platform,
} from '@switchboard/platform';
import type { Transaction } from '@switchboard/postgres';
import { forgetContacts } from './erased-contact.repository.js';
import { skipItems } from './erased-item.repository.js';

/**
 * Forgets who an erased contact was, in the transaction that notes the erasure: from its commit on no number leads to the
 * contact, so that a send asks for a new one, and none of its bulk recipients begins.
 */
@Injectable()
export class MessageErasuresConsumer extends ErasuresConsumer {
  constructor(@Inject(PLATFORM) platform: Platform, rpc: RpcClient, signal: EraseSignal) {
    super(platform, { consumer: messagingErasuresConsumer, book: remoteErasureBook(rpc, 'messaging'), signal });
  }

  protected override async onErased(tx: Transaction, erased: readonly FoundContact[]): Promise<void> {
    // Lanes before contacts, as every transaction.
    await skipItems(tx, erased);
    await forgetContacts(tx, erased);
  }
}
