/** The OpenAPI document of the running server, with the members that the API reference renders. */
import { client } from './generated/client.gen';

export type ApiSchema = {
  $ref?: string;
  type?: string;
  format?: string;
  description?: string;
  enum?: unknown[];
  const?: unknown;
  items?: ApiSchema;
  prefixItems?: ApiSchema[];
  properties?: Record<string, ApiSchema>;
  required?: string[];
  additionalProperties?: ApiSchema | boolean;
  anyOf?: ApiSchema[];
  oneOf?: ApiSchema[];
  allOf?: ApiSchema[];
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  maxItems?: number;
  default?: unknown;
};

type ApiContent = Record<string, { schema?: ApiSchema }>;

type ApiParameter = {
  name: string;
  in: string;
  required?: boolean;
  description?: string;
  schema?: ApiSchema;
};

export type ApiOperation = {
  operationId?: string;
  tags?: string[];
  summary?: string;
  description?: string;
  parameters?: ApiParameter[];
  requestBody?: { content: ApiContent };
  responses: Record<string, { description?: string; content?: ApiContent }>;
};

export type ApiDocument = {
  paths: Record<string, Record<string, ApiOperation>>;
  components: { schemas: Record<string, ApiSchema> };
};

export async function readApiDocument(signal?: AbortSignal): Promise<ApiDocument> {
  const document = await client.get({
    url: '/api/v1/openapi.json',
    responseStyle: 'data',
    throwOnError: true,
    signal,
  });
  return document as unknown as ApiDocument;
}
