import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Database } from '@switchboard/postgres';
import { CLOCK, LOG, type Clock, type Log } from '@switchboard/platform';
import type { TestServers } from '@switchboard/testing';
import { MASTER_KEYS } from '../src/identity/master-keys.contract.js';
import { IdentityModule } from '../src/identity/identity.module.js';

/** Stands for the platform's module. */
class TestPlatformModule {}

/** The module of organizations and people over a test's database; closed when the tests of the file have ended. */
export async function openIdentity(
  servers: TestServers,
  database: Database,
  clock: Clock,
  log: Log,
): Promise<INestApplicationContext> {
  const providers = [
    { provide: Database, useValue: database },
    { provide: CLOCK, useValue: clock },
    { provide: LOG, useValue: log },
    { provide: MASTER_KEYS, useValue: { current: Buffer.alloc(32, 7), previous: null } },
  ];
  const platform = {
    module: TestPlatformModule,
    global: true,
    imports: [IdentityModule],
    providers,
    exports: [Database, CLOCK, LOG, MASTER_KEYS],
  };
  const context = await NestFactory.createApplicationContext(platform, { logger: false, abortOnError: false });
  servers.onEnd(() => context.close());
  return context;
}
