import { Module } from '@nestjs/common';
import { EraseSignal } from '@switchboard/platform';
import { CallbackErasuresConsumer, EraseCallbacksWorker } from './erase-callbacks.worker.js';

/** Overwrites what is kept of callbacks about erased contacts. */
@Module({ providers: [CallbackErasuresConsumer, EraseCallbacksWorker, EraseSignal] })
export class EraseCallbacksModule {}
