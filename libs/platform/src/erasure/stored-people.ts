import { callbackChange, callbackMessage } from '@switchboard/contracts/gateway/events';
import type { ErasedPerson } from './blank-event.policy.js';
import type { ForeignLines } from './foreign-lines.js';

/** A person that is erased, with the lines whose callbacks are left as they are. */
export interface StoredPerson {
  readonly person: ErasedPerson;
  readonly foreign: ForeignLines;
}

type NamedPerson = StoredPerson & { readonly names: readonly string[] };

/**
 * SQL: whether a stored event may hold one of `StoredPeople`, however many these are. Every shape has an id or a number as the whole of a
 * text, and so between two quotes; what the provider notes in words of its own may have it anywhere.
 *
 * @param names and @param terms the parameters of `StoredPeople`
 */
export const holdsOne = (
  json: string,
  names: string,
  terms: string,
): string => `(${names}::jsonb ?| string_to_array(${json}, '"')
  OR (subject = '${callbackChange.subject}' OR subject = '${callbackMessage.subject}' AND ${json} LIKE '%"type":"system"%')
    AND ${json} LIKE ANY (${terms}::text[]))`;

/** People who are erased together, as stored events name them. */
export class StoredPeople {
  /** An object with their names as its keys, for `holdsOne`. */
  readonly names: string;
  /** Patterns of texts that hold their names, for `holdsOne`. */
  readonly terms: readonly string[];
  private readonly people: readonly NamedPerson[];

  constructor(people: readonly StoredPerson[]) {
    this.people = people.map((one) => ({ ...one, names: namesOf(one.person) }));
    const names = [...new Set(this.people.flatMap((one) => one.names))];
    this.names = `{${names.map((name) => `"${name}":0,"+${name}":0`).join(',')}}`;
    this.terms = names.map(likeTerm);
  }

  /** Whom an event may hold. */
  heldBy(json: string): readonly StoredPerson[] {
    return this.people.filter((one) => isHeldBy(one, json));
  }

  /** Learns which lines of callbacks are another organization's. To be called before these are overwritten. */
  async learnLines(callbacks: readonly string[]): Promise<void> {
    for (const one of this.people) {
      const own = callbacks.filter((json) => isHeldBy(one, json));
      if (own.length > 0) await one.foreign.learn(own.map((json) => JSON.parse(json)));
    }
  }
}

function isHeldBy({ names }: NamedPerson, json: string): boolean {
  return names.some((name) => json.includes(name));
}

/** As they are written in JSON. */
function namesOf({ contactId, upstreamNames, formerNames }: ErasedPerson): readonly string[] {
  const names = [contactId, ...upstreamNames, ...formerNames.map(({ name }) => name)];
  return names.map((name) => JSON.stringify(name).slice(1, -1));
}

/** @returns a pattern of LIKE for texts that hold the term */
export function likeTerm(term: string): string {
  return `%${term.replace(/[\\%_]/g, '\\$&')}%`;
}
