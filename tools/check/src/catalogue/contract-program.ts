import ts from 'typescript';
import type { Sources } from '../sources.js';

/** The contracts as the compiler sees them. */
export interface ContractProgram {
  readonly checker: ts.TypeChecker;
  /** The contracts' own files, by their paths below the root. */
  readonly files: ReadonlyMap<string, ts.SourceFile>;
}

const options: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2023,
  lib: ['lib.es2024.d.ts'],
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  types: [],
  strict: true,
  skipLibCheck: true,
  noEmit: true,
};

/** The compiler's own libraries, parsed once for all programs: they are most of the work. */
const libraries = new Map<string, ts.SourceFile>();

/** Reads the contracts from the sources given, on disk or not; only the compiler's own libraries come from elsewhere. */
export function contractProgram({ root, files }: Sources): ContractProgram {
  const texts = new Map<string, string>();
  for (const [path, content] of files) {
    if (/^libs\/contracts\/src\/.*(?<!\.(unit|int))\.ts$/.test(path)) {
      texts.set(`${root}/${path}`, content.toString('utf8'));
    }
  }
  const host = ts.createCompilerHost(options, true);
  const { fileExists, readFile, getSourceFile } = host;
  const isOurs = (path: string): boolean => path.startsWith(`${root}/libs/`);
  host.fileExists = (path) => (isOurs(path) ? texts.has(path) : fileExists(path));
  host.readFile = (path) => (isOurs(path) ? texts.get(path) : readFile(path));
  host.getSourceFile = (path, target) => {
    if (isOurs(path)) return getSourceFile(path, target);
    const parsed = libraries.get(path) ?? getSourceFile(path, target);
    if (parsed) libraries.set(path, parsed);
    return parsed;
  };
  // Folders of sources that are not on disk exist as well.
  delete host.directoryExists;
  const program = ts.createProgram([...texts.keys()], options, host);
  const read = [...texts.keys()].flatMap((path) => {
    const file = program.getSourceFile(path);
    return file ? [[path.slice(root.length + 1), file] as const] : [];
  });
  return { checker: program.getTypeChecker(), files: new Map(read) };
}
