export function ComparisonsPage() { return null; }
