import { Inject, Injectable } from '@nestjs/common';
import { gatewayErasuresConsumer } from '@switchboard/contracts/consumers';
import { RpcClient } from '@switchboard/nats';
import {
  EraseSignal,
  ErasuresConsumer,
  ErasureWorker,
  LOG,
  PLATFORM,
  remoteErasureBook,
  remoteForeignLines,
  type Log,
  type Platform,
} from '@switchboard/platform';
import { Database } from '@switchboard/postgres';

/** Notes contacts whose callbacks are to be overwritten. */
@Injectable()
export class CallbackErasuresConsumer extends ErasuresConsumer {
  constructor(@Inject(PLATFORM) platform: Platform, rpc: RpcClient, signal: EraseSignal) {
    super(platform, { consumer: gatewayErasuresConsumer, book: remoteErasureBook(rpc, 'gateway'), signal });
  }
}

/** Overwrites the callbacks about erased contacts: they are stored as events, and nothing else here is theirs. */
@Injectable()
export class EraseCallbacksWorker extends ErasureWorker {
  constructor(database: Database, rpc: RpcClient, signal: EraseSignal, @Inject(LOG) log: Log) {
    super({ database, book: remoteErasureBook(rpc, 'gateway'), foreignLines: remoteForeignLines(rpc), log, signal });
  }
}
