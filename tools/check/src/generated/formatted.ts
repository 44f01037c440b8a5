import { format, type Options } from 'prettier';
import { textOf, type Sources } from '../sources.js';

/** A text as Prettier formats a file of that name here. @throws Error when it cannot be read as such a file */
export function formatted(sources: Sources, path: string, text: string): Promise<string> {
  const style = JSON.parse(textOf(sources, '.prettierrc.json') ?? '{}') as Options;
  return format(text, { ...style, filepath: path });
}
