import type { Json, JsonObject } from './json-schema.js';

/** What the words of an enumeration mean, by word: a sentence each. */
export type Vocabulary = Readonly<Record<string, string>>;

/**
 * The same part of a document with the words of every enumeration explained: in its description, for people, and in
 * `x-enumDescriptions`, for tools. A single word is explained by the description of its field.
 *
 * @param vocabularies the smallest one that knows every word of an enumeration explains it
 */
export function withEnumWords<Part extends Json | undefined>(part: Part, vocabularies: readonly Vocabulary[]): Part {
  const sorted = [...vocabularies].sort((a, b) => Object.keys(a).length - Object.keys(b).length);
  return explained(part, sorted) as Part;
}

function explained(part: Json | undefined, vocabularies: readonly Vocabulary[]): Json | undefined {
  if (Array.isArray(part)) return part.map((one: Json) => explained(one, vocabularies) as Json);
  if (typeof part !== 'object' || part === null) return part;
  // What an example holds is no schema.
  const kept = new Set(['example', 'examples']);
  const entries = Object.entries(part).map(([name, value]): [string, Json | undefined] => [
    name,
    kept.has(name) ? value : explained(value, vocabularies),
  ]);
  return { ...Object.fromEntries(entries), ...wordsOf(part as JsonObject, vocabularies) };
}

function wordsOf({ enum: values, description }: JsonObject, vocabularies: readonly Vocabulary[]): JsonObject {
  const words = Array.isArray(values) ? values.filter((value) => typeof value === 'string') : [];
  if (words.length < 2) return {};
  const vocabulary = vocabularies.find((one) => words.every((word) => Object.hasOwn(one, word)));
  if (!vocabulary) return {};
  const lines = words.map((word) => `- \`${word}\`: ${vocabulary[word]}`).join('\n');
  return {
    description: typeof description === 'string' ? `${description}\n\n${lines}` : lines,
    'x-enumDescriptions': Object.fromEntries(words.map((word) => [word, vocabulary[word]])),
  };
}
