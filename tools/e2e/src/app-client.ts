import { assertDescribed } from '@switchboard/check/description/described-answers';
import { AppClient } from '@switchboard/testing/app-client';

/** A page of the application, each of whose answers must be one that the application's description knows. */
export function appClient(baseUrl: string): AppClient {
  return new AppClient(baseUrl, assertDescribed);
}
