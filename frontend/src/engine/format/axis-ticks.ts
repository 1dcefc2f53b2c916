const STEPS = [1, 2, 5] as const;

/**
 * Returns about `most` round values for an axis: multiples of 1, 2 or 5 times a power of ten,
 * counted from `zero`.
 */
export function roundTicks(from: number, to: number, most: number, zero = 0): number[] {
  const span = to - from;
  if (!(span > 0) || most < 1) return [];
  const power = 10 ** Math.floor(Math.log10(span / most));
  const step = (STEPS.find((times) => span / (power * times) <= most) ?? 10) * power;
  const first = Math.ceil((from - zero) / step);
  const last = Math.floor((to - zero) / step);
  return Array.from(
    { length: Math.max(0, last - first + 1) },
    (_, at) => zero + (first + at) * step,
  );
}
