/** A number that carries its unit in its type, so that nanoseconds cannot be handed where pixels are meant. */
export type Brand<Base, Name extends string> = Base & { readonly __unit: Name };
