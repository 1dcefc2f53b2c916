/**
 * A curl command that a reader can copy, built from the description of an operation, with required
 * members only.
 */
import type { ApiSchema } from '../../../api';
import type { NamedOperation } from './api-operations';

type Schemas = Record<string, ApiSchema>;

const DEEPEST = 6;
const EXAMPLE_ID = '00000000-0000-0000-0000-000000000000';
const FORMATS: Record<string, string> = {
  uuid: EXAMPLE_ID,
  'date-time': '2026-01-31T12:00:00Z',
  date: '2026-01-31',
  uri: 'https://example.com',
  email: 'name@example.com',
};

/** Returns a value that matches the type of a schema. */
export function exampleOf(schema: ApiSchema, schemas: Schemas, name: string, depth = 0): unknown {
  if (depth > DEEPEST) return {};
  if (schema.$ref)
    return exampleOf(schemas[schema.$ref.split('/').at(-1) ?? ''] ?? {}, schemas, name, depth + 1);
  const union = schema.anyOf ?? schema.oneOf ?? schema.allOf;
  if (union) return exampleOf(union[0] ?? {}, schemas, name, depth + 1);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  if (schema.default !== undefined && schema.default !== null) return schema.default;
  switch (schema.type) {
    case 'object':
      return Object.fromEntries(
        Object.entries(schema.properties ?? {})
          .filter(([member]) => schema.required?.includes(member))
          .map(([member, value]) => [member, exampleOf(value, schemas, member, depth + 1)]),
      );
    case 'array':
      return [exampleOf(schema.items ?? {}, schemas, name, depth + 1)];
    case 'integer':
    case 'number':
      return schema.minimum ?? 1;
    case 'boolean':
      return true;
    default:
      return FORMATS[schema.format ?? ''] ?? name.toUpperCase();
  }
}

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** Returns a curl command for an operation, with the token from the environment. */
export function curlExample({ method, path, operation }: NamedOperation, schemas: Schemas): string {
  const { parameters = [], requestBody } = operation;
  const query = parameters
    .filter(({ in: place, required }) => place === 'query' && required)
    .map(({ name, schema = {} }) => {
      const value = String(exampleOf(schema, schemas, name));
      return `${encodeURIComponent(name)}=${encodeURIComponent(value)}`;
    });
  const address = path.replace(/\{(\w+)\}/gu, (_, name: string) => name.toUpperCase());
  const lines = [`curl --fail-with-body -H "Authorization: Bearer $SLOWPATH_TOKEN"`];
  const [media, content] = Object.entries(requestBody?.content ?? {})[0] ?? [];
  if (method !== 'get' && !(method === 'post' && media)) lines.push(`-X ${method.toUpperCase()}`);
  if (media === 'application/json')
    lines.push(
      `--json ${quoted(JSON.stringify(exampleOf(content?.schema ?? {}, schemas, 'body')))}`,
    );
  else if (media?.startsWith('multipart/')) lines.push(`-F file=@FILE`);
  else if (media) lines.push(`-H "Content-Type: ${media}" --data-binary @FILE`);
  lines.push(`"$SLOWPATH_URL${address}${query.length > 0 ? `?${query.join('&')}` : ''}"`);
  return lines.join(' \\\n  ');
}
