export function ServicesPage() { return null; }
export function ServicePage() { return null; }
