import { Module, type DynamicModule } from '@nestjs/common';
import type { ReadinessCheck } from '@switchboard/platform';
import { AppModule } from './app/app.module.js';
import { CallbacksModule } from './callbacks/callbacks.module.js';
import { EraseCallbacksModule } from './erase-callbacks/erase-callbacks.module.js';
import { GATEWAY_CONFIG, type GatewayConfig } from './gateway.config.js';
import { READINESS_CHECKS } from './http/health/health.controller.js';
import { ConsoleModule } from './console/console.module.js';
import { HttpModule } from './http/http.module.js';
import { AuditRetentionModule } from './identity/audit-retention.module.js';
import { MASTER_KEYS } from './identity/master-keys.contract.js';
import { ReferenceModule } from './reference/reference.module.js';
import { V1Module } from './v1/v1.module.js';

/** What the process decides for all modules of the gateway. */
export interface GatewaySettings {
  readonly config: GatewayConfig;
  readonly checks: Readonly<Record<string, ReadinessCheck>>;
}

/** The gateway: every route, and what all of them go through. Needs the providers of `PlatformModule`. */
@Module({
  imports: [HttpModule, V1Module, AppModule, CallbacksModule, EraseCallbacksModule, ReferenceModule, ConsoleModule],
})
export class GatewayModule {
  static of({ config, checks }: GatewaySettings): DynamicModule {
    const masterKeys = { current: config.CREDENTIALS_KEY, previous: config.CREDENTIALS_KEY_PREVIOUS };
    const providers = [
      { provide: GATEWAY_CONFIG, useValue: config },
      { provide: MASTER_KEYS, useValue: masterKeys },
      { provide: READINESS_CHECKS, useValue: checks },
    ];
    const exports = providers.map(({ provide }) => provide);
    const imports = [AuditRetentionModule.of(config.GATEWAY_AUDIT_RETENTION_DAYS)];
    return { module: GatewayModule, global: true, imports, providers, exports };
  }
}
