import { Module } from '@nestjs/common';
import { TakeCallbackController } from './take-callback.controller.js';
import { TakeCallback } from './take-callback.js';

/** The callbacks of the upstream provider. */
@Module({ controllers: [TakeCallbackController], providers: [TakeCallback] })
export class CallbacksModule {}
