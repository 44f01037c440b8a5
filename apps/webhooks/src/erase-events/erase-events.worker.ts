import { Inject, Injectable } from '@nestjs/common';
import { webhooksErasuresConsumer } from '@switchboard/contracts/consumers';
import { RpcClient } from '@switchboard/nats';
import {
  EraseSignal,
  ErasuresConsumer,
  ErasureWorker,
  LOG,
  PLATFORM,
  remoteErasureBook,
  type ErasureTarget,
  type Log,
  type Platform,
} from '@switchboard/platform';
import { Database } from '@switchboard/postgres';
import { eraseAttempts } from './erased-attempt.repository.js';
import { eraseBodies } from './erased-event.repository.js';

/** Notes contacts whose events are to be overwritten; what is fanned out from then on holds nothing of them. */
@Injectable()
export class EventErasuresConsumer extends ErasuresConsumer {
  constructor(@Inject(PLATFORM) platform: Platform, rpc: RpcClient, signal: EraseSignal) {
    super(platform, { consumer: webhooksErasuresConsumer, book: remoteErasureBook(rpc, 'webhooks'), signal });
  }
}

/**
 * Overwrites the bodies of events about erased contacts, the one exception to «the same bytes», and what receivers answered
 * to them. Pending deliveries go out with what is left: they have no body of their own.
 */
@Injectable()
export class EraseEventsWorker extends ErasureWorker {
  constructor(database: Database, rpc: RpcClient, signal: EraseSignal, @Inject(LOG) log: Log) {
    super({ database, book: remoteErasureBook(rpc, 'webhooks'), log, signal });
  }

  protected override async erase(target: ErasureTarget): Promise<boolean> {
    const eventIds = await eraseBodies(this.database, target);
    await eraseAttempts(this.database, target, eventIds);
    return true;
  }
}
