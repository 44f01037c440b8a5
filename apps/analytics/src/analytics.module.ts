import { Module } from '@nestjs/common';

/** The service: its handlers are controllers, its repositories, use cases, consumers and workers are providers. */
@Module({ controllers: [], providers: [] })
export class AnalyticsModule {}
