/** What the provider's ids look like at most: no control characters, no half characters; indexes have their limits. */
const ID = /^[^\p{Cc}\p{Cs}]{1,300}$/u;

/** Whether it can be an id of the provider's, 1 to 300 characters: of a message, of a line, of a person. */
export function isUpstreamId(value: unknown): value is string {
  return typeof value === 'string' && ID.test(value);
}
