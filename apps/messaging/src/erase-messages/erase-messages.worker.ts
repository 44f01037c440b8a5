import { Inject, Injectable } from '@nestjs/common';
import { RpcClient } from '@switchboard/nats';
import { Relay } from '@switchboard/outbox';
import {
  EraseSignal,
  CLOCK,
  ErasureWorker,
  LOG,
  remoteErasureBook,
  type Clock,
  type ErasureTarget,
  type Log,
  type ReadForeignLines,
} from '@switchboard/platform';
import { Database } from '@switchboard/postgres';
import { ForeignLineReader } from '../channel/foreign-lines.js';
import { erasePhones } from './erased-contact.repository.js';
import { eraseDispatches } from './erased-dispatch.repository.js';
import { eraseItems, skipItems } from './erased-item.repository.js';
import { eraseMessages } from './erased-message.repository.js';

/** Overwrites what messaging keeps of erased contacts; messages that are still to be sent to them fail. */
@Injectable()
export class EraseMessagesWorker extends ErasureWorker {
  constructor(
    database: Database,
    rpc: RpcClient,
    private readonly relay: Relay,
    lines: ForeignLineReader,
    signal: EraseSignal,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOG) log: Log,
  ) {
    const foreignLines: ReadForeignLines = (id, asked) => lines.among(id, asked);
    super({ database, book: remoteErasureBook(rpc, 'messaging'), foreignLines, log, signal });
  }

  protected override async erase(target: ErasureTarget): Promise<boolean> {
    await this.database.transaction((tx) => skipItems(tx, [target]));
    const isSettled = await eraseDispatches(this.database, target, new Date(this.clock.now()));
    this.relay.wake();
    await eraseItems(this.database, target);
    await eraseMessages(this.database, target);
    await erasePhones(this.database, target);
    return isSettled;
  }
}
