import { Inject, Injectable } from '@nestjs/common';
import { EraseSignal, ErasureWorker, LOG, type ErasureBook, type Log } from '@switchboard/platform';
import { Database } from '@switchboard/postgres';
import { ErasedNumberRepository } from '../erased-number/erased-number.repository.js';

/** Overwrites the stored events of erased contacts; their rows are gone with the erasure itself. */
@Injectable()
export class EraseContactsWorker extends ErasureWorker {
  constructor(database: Database, numbers: ErasedNumberRepository, signal: EraseSignal, @Inject(LOG) log: Log) {
    const book: ErasureBook = {
      numbersOf: ({ organizationId, contactId }) => numbers.find(organizationId, contactId),
      confirm: ({ organizationId, contactId }) => numbers.confirm(organizationId, contactId, 'contacts'),
    };
    super({ database, book, log, signal });
  }
}
