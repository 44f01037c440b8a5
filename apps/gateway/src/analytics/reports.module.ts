import { Module } from '@nestjs/common';
import { Reports } from './reports.js';

/** The reports of both APIs; needs the providers of `PlatformModule`. */
@Module({ providers: [Reports], exports: [Reports] })
export class ReportsModule {}
