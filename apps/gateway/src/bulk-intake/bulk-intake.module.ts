import { Module } from '@nestjs/common';
import { BulkSends } from './bulk-sends.js';
import { ParsingThreads } from './parsing-threads.js';
import { TakeBulkSend } from './take-bulk-send.js';

/** What both APIs have of bulk sends; needs the providers of `PlatformModule` and the gateway's settings. */
@Module({ providers: [BulkSends, ParsingThreads, TakeBulkSend], exports: [BulkSends] })
export class BulkIntakeModule {}
