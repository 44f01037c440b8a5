/**
 * A file that is written by hand but for the parts between `# [generated: <name>]` and `# [end]`.
 *
 * @param parts the lines of each part by its name, without the indentation of its first marker
 * @returns the file with its parts renewed
 * @throws Error when the file has not each of the parts exactly once
 */
export function withParts(path: string, text: string, parts: Readonly<Record<string, readonly string[]>>): string {
  const marked = [...text.matchAll(part)].map((match) => match.groups?.['name'] ?? '');
  const expected = Object.keys(parts);
  if (marked.toSorted().join() !== expected.toSorted().join()) {
    throw new Error(`${path} has the generated parts ${marked.join(', ')} instead of ${expected.join(', ')}`);
  }
  return text.replace(part, (...match) => {
    const { begin = '', indent = '', name = '', end = '' } = match.at(-1) as Record<string, string>;
    const lines = (parts[name] ?? []).map((line) => (line === '' ? '' : indent + line));
    return [begin, ...lines, end].join('\n');
  });
}

const part = /^(?<begin>(?<indent> *)# \[generated: (?<name>[\w-]+)\].*)\n[\s\S]*?^(?<end> *# \[end\])$/gm;
