import { assertDescribed } from '@switchboard/check/description/described-answers';
import { AppClient } from '@switchboard/testing/app-client';
import type { Person } from './people.js';

/** A page of the application, each of whose answers must be one that the application's description knows. */
export function appClient(baseUrl: string): AppClient {
  return new AppClient(baseUrl, assertDescribed);
}

/** The same of a person who has signed in. */
export async function signedInClient(baseUrl: string, person: Person): Promise<AppClient> {
  const client = appClient(baseUrl);
  await client.signIn(person);
  return client;
}
