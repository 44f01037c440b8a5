import { Module } from '@nestjs/common';
import { HttpModule } from '../http/http.module.js';
import { ServeConsoleController } from './serve-console.controller.js';

/** The console in the browser: files that `apps/console` is built to. */
@Module({ imports: [HttpModule], controllers: [ServeConsoleController] })
export class ConsoleModule {}
