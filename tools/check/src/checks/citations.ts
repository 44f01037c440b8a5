import { posix } from 'node:path';
import type { Check } from '../check.js';
import { textOf, type Sources } from '../sources.js';

/** Of a template the comments are read, and not its links: they lead from where it will lie. */
const citing = /(^|\/)\.env\.example$|\.(ts|tsx|mjs|sql|sh|py|yml|yaml|md)(\.template)?$/;
/** This package's unit tests hold canaries that cite what does not exist. */
const canaryFile = /^tools\/check\/src\/.*\.unit\.ts$/;
/** A page of the repository by its path from the root; what a longer path or an address ends with is none. */
const page = /(?<![\w./:-])(docs\/[\w/.-]+\.(?:md|json))(?:#([\w-]+))?/g;
/** Another file of the repository by its path from the root, in a comment. */
const file =
  /(?<![\w./:-])((?:apps|libs|tools|deploy|examples)\/[\w./-]*\.(?:tsx?|mjs|md|sql|sh|py|yml|conf|json))(?!\w)(?:#([\w-]+))?/g;
const comment = /(?:^\s*(?:\*|#|--)|\/\/|\/\*)(.*)$/;
const adr = /\bADRs? (\d{4})\b/g;
/**
 * A page or a task that is not in the repository: a clone does not contain it. OpenTelemetry has a specification of its own,
 * the provider has pages.
 */
const elsewhere =
  /\bSource: (?:the )?(?:issue|bar|brief|decisions|specification|style|architecture|design|(?:local run|upstream) page)\b|(?<!OpenTelemetry )\b(?:issue|decisions|specification),? "/;
const markdownLink = /\]\(<?([^()\s>]+)>?(?:\s+"[^"]*")?\)/g;
const codePath = /`((?:apps|libs|tools|docs|deploy|examples)\/[\w./-]+)`/g;
const fence = /^(```|~~~)[\s\S]*?^\1/gm;
const inlineCode = /`[^`\n]*`/g;

/**
 * Every page, anchor and ADR that code, comments and Markdown cite exists, every relative link of Markdown resolves, and
 * every path of the repository in a comment or in a Markdown page's inline code does.
 */
export const citationsCheck: Check = {
  name: 'citations',
  run(sources) {
    const tree = new Tree(sources);
    return [...sources.files].flatMap(([path, content]) => {
      if (!citing.test(path) || canaryFile.test(path)) return [];
      const lines = withoutFences(path, content.toString('utf8')).split('\n');
      return lines.flatMap((line, index) =>
        problemsOf(line, path, tree).map((problem) => `${path}:${index + 1} ${problem}`),
      );
    });
  },
};

function problemsOf(line: string, path: string, tree: Tree): readonly string[] {
  const problems: string[] = [];
  for (const [cited, target = '', anchor] of line.matchAll(page)) {
    if (!tree.holds(target, anchor)) problems.push(`cites ${cited}, which does not exist`);
  }
  for (const [cited, number = ''] of line.matchAll(adr)) {
    if (!tree.hasAdr(number)) problems.push(`cites ${cited}, which does not exist`);
  }
  if (elsewhere.test(line)) problems.push('cites a page that is not in the repository');
  if (path.endsWith('.md')) return [...problems, ...problemsOfMarkdown(line, path, tree)];
  for (const [cited, target = '', anchor] of (comment.exec(line)?.[1] ?? '').matchAll(file)) {
    if (!tree.holds(target, anchor)) problems.push(`names ${cited}, which does not exist`);
  }
  return problems;
}

function problemsOfMarkdown(line: string, path: string, tree: Tree): readonly string[] {
  const problems: string[] = [];
  for (const [, link = ''] of line.replace(inlineCode, '').matchAll(markdownLink)) {
    if (/^[a-z][a-z0-9+.-]*:/i.test(link)) continue;
    const [file = '', anchor] = link.split('#', 2);
    const target = file === '' ? path : posix.join(posix.dirname(path), file);
    if (!tree.holds(target, anchor)) problems.push(`links to ${link}, which does not exist`);
  }
  for (const [, named = ''] of line.matchAll(codePath)) {
    if (!tree.holds(named.replace(/\/$/, ''), undefined)) problems.push(`names ${named}, which does not exist`);
  }
  return problems;
}

/** Blanks code blocks and keeps the numbers of the lines; the example of a command may name any path. */
function withoutFences(path: string, text: string): string {
  return path.endsWith('.md') ? text.replace(fence, (block) => block.replace(/[^\n]/g, '')) : text;
}

/** What can be cited. */
class Tree {
  private readonly folders = new Set<string>();
  private readonly anchors = new Map<string, ReadonlySet<string>>();

  constructor(private readonly sources: Sources) {
    for (const path of sources.files.keys()) {
      for (let at = posix.dirname(path); at !== '.'; at = posix.dirname(at)) this.folders.add(at);
    }
  }

  holds(path: string, anchor: string | undefined): boolean {
    const isThere = this.sources.files.has(path) || this.folders.has(path);
    return isThere && (anchor === undefined || this.anchorsOf(path).has(anchor));
  }

  hasAdr(number: string): boolean {
    return [...this.sources.files.keys()].some((path) => path.startsWith(`docs/adr/${number}-`));
  }

  private anchorsOf(path: string): ReadonlySet<string> {
    const known = this.anchors.get(path);
    if (known) return known;
    const text = textOf(this.sources, path) ?? '';
    const found = new Set([...text.matchAll(/<a id="([^"]+)">/g)].map(([, id = '']) => id));
    for (const [, heading = ''] of withoutFences(path, text).matchAll(/^#{1,6} (.*)$/gm)) found.add(slugOf(heading));
    this.anchors.set(path, found);
    return found;
  }
}

/** The anchor that GitHub gives a heading. */
function slugOf(heading: string): string {
  return heading
    .replace(/<[^>]*>/g, '')
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-');
}
