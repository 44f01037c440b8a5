import { Module } from '@nestjs/common';
import { CallbackErasuresConsumer, EraseCallbacksWorker, EraseSignal } from './erase-callbacks.worker.js';

/** Overwrites what is kept of callbacks about erased contacts. */
@Module({ providers: [CallbackErasuresConsumer, EraseCallbacksWorker, EraseSignal] })
export class EraseCallbacksModule {}
