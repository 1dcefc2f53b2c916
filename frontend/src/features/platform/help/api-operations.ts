/** The operations of an OpenAPI document by tag, and descriptions of schemas in one line. */
import type { ApiDocument, ApiOperation, ApiSchema } from '../../../api';

export type NamedOperation = {
  id: string;
  method: string;
  path: string;
  operation: ApiOperation;
};

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

/** Returns all operations by their first tag; tags and paths are in alphabetical order. */
export function groupOperations({ paths }: ApiDocument): Map<string, NamedOperation[]> {
  const groups = new Map<string, NamedOperation[]>();
  for (const path of Object.keys(paths).sort())
    for (const method of METHODS) {
      const operation = paths[path]?.[method];
      if (!operation) continue;
      const tag = operation.tags?.[0] ?? 'other';
      const id = `${method}-${path.replace(/[^\w]+/gu, '-').replace(/^-|-$/gu, '')}`;
      groups.set(tag, [...(groups.get(tag) ?? []), { id, method, path, operation }]);
    }
  return new Map([...groups].sort(([one], [other]) => one.localeCompare(other)));
}

/** Returns the operations whose method, path or description contains every word. */
export function filterOperations(
  groups: Map<string, NamedOperation[]>,
  words: string,
): Map<string, NamedOperation[]> {
  const wanted = words.toLowerCase().split(/\s+/u).filter(Boolean);
  if (wanted.length === 0) return groups;
  const matches = ({ method, path, operation }: NamedOperation, tag: string) => {
    const text =
      `${tag} ${method} ${path} ${operation.summary ?? ''} ${operation.description ?? ''}`.toLowerCase();
    return wanted.every((word) => text.includes(word));
  };
  return new Map(
    [...groups]
      .map(([tag, all]) => [tag, all.filter((one) => matches(one, tag))] as const)
      .filter(([, left]) => left.length > 0),
  );
}

const schemaName = ({ $ref = '' }: ApiSchema): string => $ref.split('/').at(-1) ?? '';

/** Describes the type of a schema in one line. */
export function typeText(schema: ApiSchema): string {
  if (schema.$ref) return schemaName(schema);
  const union = schema.anyOf ?? schema.oneOf;
  if (union) return [...new Set(union.map(typeText))].join(' or ');
  if (schema.allOf) return schema.allOf.map(typeText).join(' and ');
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(', ');
  if (schema.prefixItems) return `[${schema.prefixItems.map(typeText).join(', ')}]`;
  if (schema.type === 'array') return `list of ${typeText(schema.items ?? {})}`;
  if (schema.type === 'object' && typeof schema.additionalProperties === 'object')
    return `map of ${typeText(schema.additionalProperties)}`;
  return schema.format ? `${schema.type ?? ''} (${schema.format})` : (schema.type ?? 'any');
}

/** Describes the limits of a value in one line; empty if it has none. */
export function limitsText(schema: ApiSchema): string {
  const value = (schema.anyOf ?? []).find(({ type }) => type !== 'null') ?? schema;
  const limits = [
    value.minimum !== undefined && `at least ${value.minimum}`,
    value.maximum !== undefined && `at most ${value.maximum}`,
    value.maxLength !== undefined && `at most ${value.maxLength} characters`,
    value.maxItems !== undefined && `at most ${value.maxItems} items`,
    schema.default !== undefined &&
      schema.default !== null &&
      `default ${JSON.stringify(schema.default)}`,
  ];
  return limits.filter((limit) => limit !== false).join(', ');
}

/**
 * Returns the named schemas that a type refers to, including itself, in order of their first
 * mention.
 */
export function referencedSchemas(schema: ApiSchema): string[] {
  const parts = [
    ...(schema.anyOf ?? schema.oneOf ?? schema.allOf ?? schema.prefixItems ?? []),
    ...(schema.items ? [schema.items] : []),
    ...(typeof schema.additionalProperties === 'object' ? [schema.additionalProperties] : []),
  ];
  return [
    ...new Set([...(schema.$ref ? [schemaName(schema)] : []), ...parts.flatMap(referencedSchemas)]),
  ];
}
