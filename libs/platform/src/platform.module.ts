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
/** Token of the whole `Platform`, which consumers of events need. */
export const PLATFORM = Symbol('Platform');
/**
 * Token of an `AbortSignal` that aborts when the service begins to stop: before rpcs are drained and before any
 * `onModuleDestroy`, so that what takes long can begin to end at once.
 */
export const STOPPING = Symbol('Stopping');

/**
 * Provides the service's connections and clocks to all of its modules: `Database`, `RpcClient`, `Relay`, LOG, CLOCK,
 * PLATFORM, STOPPING.
 */
export class PlatformModule {
  /**
   * @param root the service's own module
   * @param stopping aborts when the service begins to stop
   */
  static of(platform: Platform, root: Type | DynamicModule, stopping: AbortSignal): DynamicModule {
    const providers = [
      { provide: Database, useValue: platform.database },
      { provide: RpcClient, useValue: platform.rpc },
      { provide: Relay, useValue: platform.relay },
      { provide: PLATFORM, useValue: platform },
      { provide: LOG, useValue: platform.log },
      { provide: CLOCK, useValue: systemClock },
      { provide: STOPPING, useValue: stopping },
    ];
    const exports = providers.map(({ provide }) => provide);
    return { module: PlatformModule, global: true, imports: [root], providers, exports };
  }
}
