import type { DynamicModule, Type } from '@nestjs/common';
import { RpcClient } from '@switchboard/nats';
import { Relay } from '@switchboard/outbox';
import { Database } from '@switchboard/postgres';
import { systemClock } from './clock.js';
import type { Platform } from './platform.js';

/** Token of the service's `Log`. */
export const LOG = Symbol('Log');
/** Token of the `Clock`; tests provide their own. */
export const CLOCK = Symbol('Clock');
/** Token of the service's `NatsConnection`, which consumers need. */
export const NATS = Symbol('NatsConnection');

/** Provides what the service stands on to all of its modules: `Database`, `RpcClient`, `Relay`, LOG, CLOCK, NATS. */
export class PlatformModule {
  /** @param root the service's own module */
  static of(platform: Platform, root: Type | DynamicModule): DynamicModule {
    const providers = [
      { provide: Database, useValue: platform.database },
      { provide: RpcClient, useValue: platform.rpc },
      { provide: Relay, useValue: platform.relay },
      { provide: NATS, useValue: platform.nats },
      { provide: LOG, useValue: platform.log },
      { provide: CLOCK, useValue: systemClock },
    ];
    const exports = providers.map(({ provide }) => provide);
    return { module: PlatformModule, global: true, imports: [root], providers, exports };
  }
}
