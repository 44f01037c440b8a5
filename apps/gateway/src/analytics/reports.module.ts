import { Module } from '@nestjs/common';
import { LargeReports } from './large-reports.js';
import { Reports } from './reports.js';

/** The reports of both APIs; needs the providers of `PlatformModule`. */
@Module({ providers: [LargeReports, Reports], exports: [Reports] })
export class ReportsModule {}
