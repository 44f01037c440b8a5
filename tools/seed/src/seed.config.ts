/** What the seed reads from its environment. */
export interface SeedConfig {
  readonly databaseUrl: string;
  readonly simulatorUrl: string | null;
  readonly keysFile: string;
  /** 32 bytes; seals the channels' tokens. */
  readonly credentialsKey: Buffer;
}

/** @throws Error naming the variable that is missing */
export function seedConfig(env: NodeJS.ProcessEnv = process.env): SeedConfig {
  const required = (name: string): string => {
    const value = env[name];
    if (!value) throw new Error(`${name} is required`);
    return value;
  };
  return {
    databaseUrl: required('DATABASE_URL'),
    simulatorUrl: env.SIMULATOR_URL ?? null,
    keysFile: required('KEYS_FILE'),
    credentialsKey: Buffer.from(required('CREDENTIALS_KEY'), 'base64'),
  };
}
