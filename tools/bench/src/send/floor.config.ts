/** Configuration of the floor process. */
export interface FloorConfig {
  readonly databaseUrl: string;
  readonly upstreamUrl: string;
  readonly accessToken: string;
}

/** Set by the bench that starts it. */
export function floorConfig(env: NodeJS.ProcessEnv = process.env): FloorConfig {
  const { FLOOR_DATABASE_URL, FLOOR_UPSTREAM_URL, FLOOR_ACCESS_TOKEN } = env;
  if (!FLOOR_DATABASE_URL || !FLOOR_UPSTREAM_URL || !FLOOR_ACCESS_TOKEN) throw new Error('the bench starts the floor');
  return { databaseUrl: FLOOR_DATABASE_URL, upstreamUrl: FLOOR_UPSTREAM_URL, accessToken: FLOOR_ACCESS_TOKEN };
}
