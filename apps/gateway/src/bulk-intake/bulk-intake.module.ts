import { Module } from '@nestjs/common';
import { HttpModule } from '../http/http.module.js';
import { BulkSends } from './bulk-sends.js';
import { ParsingThreads } from './parsing-threads.js';
import { TakeBulkSend } from './take-bulk-send.js';

/** What both APIs have of bulk sends; needs the providers of `PlatformModule` and the gateway's settings. */
@Module({ imports: [HttpModule], providers: [BulkSends, ParsingThreads, TakeBulkSend], exports: [BulkSends] })
export class BulkIntakeModule {}
