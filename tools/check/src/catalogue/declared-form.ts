import ts from 'typescript';

/** What a string looks like, as the tags of the alias that it is declared with say. */
export interface StringForm {
  /** A regular expression. */
  readonly pattern?: string;
  /** A format of JSON Schema. */
  readonly format?: string;
}

/**
 * The form of the strings of a declared type: an alias of `string` vanishes from the type, but not from its declaration.
 * Looks through unions, brackets and other aliases.
 */
export function stringForm(checker: ts.TypeChecker, node: ts.TypeNode | undefined): StringForm {
  const forms = aliasesOf(checker, node, ts.SyntaxKind.StringKeyword).map(formOf);
  return forms.find((form) => Object.keys(form).length > 0) ?? {};
}

/** Whether a declared type is an alias of `number` with the tag `integer`. */
export function isWholeNumber(checker: ts.TypeChecker, node: ts.TypeNode | undefined): boolean {
  const aliases = aliasesOf(checker, node, ts.SyntaxKind.NumberKeyword);
  return aliases.some((alias) => ts.getJSDocTags(alias).some(({ tagName }) => tagName.text === 'integer'));
}

/** The declared type of a list's elements. */
export function elementNode(node: ts.TypeNode | undefined): ts.TypeNode | undefined {
  if (!node) return undefined;
  if (ts.isTypeOperatorNode(node) || ts.isParenthesizedTypeNode(node)) return elementNode(node.type);
  if (ts.isUnionTypeNode(node)) return node.types.map(elementNode).find((element) => element !== undefined);
  if (ts.isTypeReferenceNode(node)) return node.typeArguments?.[0];
  return ts.isArrayTypeNode(node) ? node.elementType : undefined;
}

/** The aliases of a keyword's type that a declared type names, in their order. */
function aliasesOf(
  checker: ts.TypeChecker,
  node: ts.TypeNode | undefined,
  keyword: ts.KeywordTypeSyntaxKind,
): readonly ts.TypeAliasDeclaration[] {
  if (!node) return [];
  if (ts.isParenthesizedTypeNode(node)) return aliasesOf(checker, node.type, keyword);
  if (ts.isUnionTypeNode(node)) return node.types.flatMap((member) => aliasesOf(checker, member, keyword));
  const alias = ts.isTypeReferenceNode(node) ? aliasOf(checker, node) : undefined;
  if (!alias) return [];
  return alias.type.kind === keyword ? [alias] : aliasesOf(checker, alias.type, keyword);
}

function aliasOf(checker: ts.TypeChecker, node: ts.TypeReferenceNode): ts.TypeAliasDeclaration | undefined {
  const symbol = checker.getSymbolAtLocation(node.typeName);
  if (!symbol) return undefined;
  const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
  return target.declarations?.find(ts.isTypeAliasDeclaration);
}

function formOf(alias: ts.TypeAliasDeclaration): StringForm {
  const tags = ts.getJSDocTags(alias).map((tag) => [tag.tagName.text, ts.getTextOfJSDocComment(tag.comment)] as const);
  return Object.fromEntries(tags.filter(([name, text]) => (name === 'pattern' || name === 'format') && text));
}
