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
  if (!node) return {};
  if (ts.isParenthesizedTypeNode(node)) return stringForm(checker, node.type);
  if (ts.isUnionTypeNode(node)) {
    return node.types.map((member) => stringForm(checker, member)).find((form) => Object.keys(form).length > 0) ?? {};
  }
  const alias = ts.isTypeReferenceNode(node) ? aliasOf(checker, node) : undefined;
  if (!alias) return {};
  return alias.type.kind === ts.SyntaxKind.StringKeyword ? formOf(alias) : stringForm(checker, alias.type);
}

/** The declared type of a list's elements. */
export function elementNode(node: ts.TypeNode | undefined): ts.TypeNode | undefined {
  if (!node) return undefined;
  if (ts.isTypeOperatorNode(node) || ts.isParenthesizedTypeNode(node)) return elementNode(node.type);
  if (ts.isUnionTypeNode(node)) return node.types.map(elementNode).find((element) => element !== undefined);
  if (ts.isTypeReferenceNode(node)) return node.typeArguments?.[0];
  return ts.isArrayTypeNode(node) ? node.elementType : undefined;
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
