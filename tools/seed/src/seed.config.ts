/** What the seed reads from its environment. */
export interface SeedConfig {
  readonly databaseUrl: string;
  readonly simulatorUrl: string | null;
  readonly keysFile: string;
  /** 32 bytes; seals the channels' tokens. */
  readonly credentialsKey: Buffer;
  /** Organizations of one channel and no people, further to those that are shown; 0 by default. For tests with many. */
  readonly moreOrganizations: number;
}

/** What waiting for templates reads from its environment. */
export interface AwaitTemplatesConfig {
  readonly databaseUrl: string;
  readonly keysFile: string;
}

/** @throws Error naming the variable that is missing */
export function seedConfig(env: NodeJS.ProcessEnv = process.env): SeedConfig {
  return {
    databaseUrl: required(env, 'DATABASE_URL'),
    simulatorUrl: env.SIMULATOR_URL ?? null,
    keysFile: required(env, 'KEYS_FILE'),
    credentialsKey: Buffer.from(required(env, 'CREDENTIALS_KEY'), 'base64'),
    moreOrganizations: Number(env.MORE_ORGANIZATIONS ?? '0'),
  };
}

/** @throws Error naming the variable that is missing */
export function awaitTemplatesConfig(env: NodeJS.ProcessEnv = process.env): AwaitTemplatesConfig {
  return {
    databaseUrl: required(env, 'DATABASE_URL'),
    keysFile: required(env, 'KEYS_FILE'),
  };
}

function required(env: NodeJS.ProcessEnv, name: string): string {
  const value = env[name];
  if (!value) throw new Error(`${name} is required`);
  return value;
}
