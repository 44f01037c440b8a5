/** Configuration of the floor's process. */
export interface IntakeFloorConfig {
  readonly databaseUrl: string;
  readonly appSecret: string;
}

/** Set by the bench that starts it. */
export function intakeFloorConfig(env: NodeJS.ProcessEnv = process.env): IntakeFloorConfig {
  const { FLOOR_DATABASE_URL, FLOOR_APP_SECRET } = env;
  if (!FLOOR_DATABASE_URL || !FLOOR_APP_SECRET) throw new Error('the bench starts the floor');
  return { databaseUrl: FLOOR_DATABASE_URL, appSecret: FLOOR_APP_SECRET };
}
