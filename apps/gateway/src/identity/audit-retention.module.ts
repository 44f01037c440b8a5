import { Module, type DynamicModule } from '@nestjs/common';
import { auditPruners } from './prune-audit/prune-audit.worker.js';

/** Removes what is older of the audit log than it is kept. Needs `Database` and LOG of the platform's module. */
@Module({})
export class AuditRetentionModule {
  /** @param days for which an entry is kept; 0 for ever */
  static of(days: number): DynamicModule {
    return { module: AuditRetentionModule, providers: auditPruners(days) };
  }
}
