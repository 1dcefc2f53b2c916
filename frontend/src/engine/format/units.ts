/** Units as types. Raw is what the profile counted (nanoseconds, bytes, objects, ...); Shown is raw times a basis' scale. */
import type { Brand } from '../../lib/unit-brand';

export type Nanoseconds = Brand<number, 'ns'>;
export type Bytes = Brand<number, 'bytes'>;
export type Raw = Brand<number, 'raw'>;
export type Shown = Brand<number, 'shown'>;
/** Device-independent pixels, as CSS means them. */
export type CssPixels = Brand<number, 'css px'>;
