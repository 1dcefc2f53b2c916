export function ComparisonRoute() { return null; }
