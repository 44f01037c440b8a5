import { Inject, Injectable } from '@nestjs/common';
import { analyticsErasuresConsumer } from '@switchboard/contracts/consumers';
import { RpcClient } from '@switchboard/nats';
import {
  EraseSignal,
  ErasuresConsumer,
  ErasureWorker,
  LOG,
  PLATFORM,
  remoteErasureBook,
  type Log,
  type Platform,
} from '@switchboard/platform';
import { Database } from '@switchboard/postgres';

/** Notes contacts whose dead letters are to be overwritten. */
@Injectable()
export class LetterErasuresConsumer extends ErasuresConsumer {
  constructor(@Inject(PLATFORM) platform: Platform, rpc: RpcClient, signal: EraseSignal) {
    super(platform, { consumer: analyticsErasuresConsumer, book: remoteErasureBook(rpc, 'analytics'), signal });
  }
}

/** Overwrites dead letters about erased contacts: figures hold no number, name or text, and stay as they are. */
@Injectable()
export class EraseLettersWorker extends ErasureWorker {
  constructor(database: Database, rpc: RpcClient, signal: EraseSignal, @Inject(LOG) log: Log) {
    super({ database, book: remoteErasureBook(rpc, 'analytics'), log, signal });
  }
}
